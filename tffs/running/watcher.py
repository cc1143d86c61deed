"""Who is told how a run is doing, and who may stop it."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tffs.live_line import PLAIN_SECONDS, LiveLine
from tffs.printable import printable
from tffs.signals import Signals
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
        """Receive which share of a long piece of work is done."""

    def progress(self, label: str = "") -> Watch:
        """Start to watch a training."""
        return Silent()

    def session(self, label: str = "", checkpoints: str | None = None) -> "Session":
        """Give what a fit needs to be shown and stopped, and kept in a folder of checkpoints."""
        from tffs.training.session import Session  # imports TensorFlow, which not every mode does

        return Session(self.progress(label), self.say, self.signals.pending, checkpoints, fitted=label)


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
        self._began = time.monotonic()
        self._doing = ""

    def say(self, sentence: str) -> None:
        """Print a note."""
        self._line.end()
        print(printable(self._worded(sentence)), file=sys.stderr, flush=True)

    def share(self, doing: str, done: float) -> None:
        """Show which share of a long piece of work is done, and how much time is left."""
        now = time.monotonic()
        if doing != self._doing:
            self._doing, self._began = doing, now
        spent = now - self._began
        if done >= 1.0:
            if self._line.live:
                self._line.write(f"{doing}: 100 %", final=True)
        elif done > 0.0 and (self._line.live or spent >= PLAIN_SECONDS):
            left = duration(spent * (1.0 - done) / done)
            self._line.write(f"{doing}: {100.0 * done:.0f} %  {left} left")

    def progress(self, label: str = "") -> Progress:
        """Start a progress line."""
        return Progress(sys.stderr, label)
