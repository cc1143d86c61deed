"""Who is told how a run is doing, and who may stop it."""

import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tffs.live_line import PLAIN_SECONDS, LiveLine
from tffs.printable import printable
from tffs.signals import Signals
from tffs.time_left import LEAST_SECONDS, TimeLeft
from tffs.training.progress import Progress, Silent, Watch, duration

if TYPE_CHECKING:
    from tffs.training.session import Session


class Watcher:
    """Whoever runs something from Python: told nothing, and Ctrl-C stops at once.

    Args:
        signals: tells whether SIGTERM or Ctrl-C was received. Without it, Python's own handlers stay.
    """

    def __init__(self, signals: Signals | None = None) -> None:
        self.signals = signals or Signals()  # which handles nothing unless it is entered

    def say(self, sentence: str) -> None:
        """Receive a note."""

    def share(self, doing: str, done: float) -> None:
        """Receive which share of a long piece of work is done: 0 when it begins, 1 when it ends."""

    def progress(self, label: str = "") -> Watch:
        """Start to watch a training."""
        return Silent()

    def session(self, label: str = "", checkpoints: str | None = None) -> "Session":
        """Give what a fit needs to be shown and stopped, and kept in a folder of checkpoints."""
        from tffs.training.session import Session  # imports TensorFlow, which not every mode does

        return Session(
            self.progress(label), self.say, self.signals.pending, checkpoints, fitted=label, share=self.share
        )


class Verbose(Watcher):
    """Whoever reads standard error.

    Args:
        signals: as a watcher's.
        worded: puts a sentence into the reader's words.
    """

    def __init__(
        self, signals: Signals | None = None, worded: Callable[[str], str] = lambda sentence: sentence
    ) -> None:
        super().__init__(signals)
        self._worded = worded
        self._line = LiveLine(sys.stderr)
        self._lock = threading.Lock()
        self._doing = ""
        self._left = TimeLeft(0.0)

    def say(self, sentence: str) -> None:
        """Print a note."""
        self._line.make_room()
        print(printable(self._worded(sentence)), file=sys.stderr, flush=True)

    def share(self, doing: str, done: float) -> None:
        """Show what is being done, which share of it is done, and how much time is left."""
        now = time.monotonic()
        with self._lock:  # folds tell from several threads
            if doing != self._doing:
                self._doing, self._left = doing, TimeLeft(now)
            left = self._left
            left.tell(done, now)
            spent = now - left.began
            if done >= 1.0:
                self._doing = ""
                if spent >= (LEAST_SECONDS if self._line.live else PLAIN_SECONDS):
                    self._line.write(f"{doing}: done in {duration(spent)}", final=True)
                else:
                    self._line.erase()
            elif self._line.live:
                self._line.keep(lambda: _share_line(doing, left))
            elif done > 0.0 and spent >= PLAIN_SECONDS:
                self._line.write(_share_line(doing, left))

    def progress(self, label: str = "") -> Progress:
        """Start a progress line."""
        return Progress(sys.stderr, label, self._leave_line)

    def end(self) -> None:
        """Show nothing more of what was being done."""
        self._line.erase()

    def _leave_line(self) -> None:
        """Leave the line to a training, which ends what was being done."""
        with self._lock:
            self._doing = ""
            self._line.leave()


def _share_line(doing: str, left: TimeLeft) -> str:
    """Write how far something is: before the first share is known, for how long it has been going on."""
    now = time.monotonic()
    if not left.done:
        return f"{doing} ... {duration(now - left.began)}"
    seconds = left.at(now)
    return f"{doing}: {100.0 * left.done:.0f} %" + ("" if seconds is None else f"  {duration(seconds)} left")
