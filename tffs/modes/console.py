"""How a mode talks to the person: results to standard output, everything else to standard error."""

import sys
import time
from typing import TYPE_CHECKING

from tffs.live_line import PLAIN_SECONDS, LiveLine
from tffs.printable import printable
from tffs.signals import Signals
from tffs.training.progress import Progress, duration

if TYPE_CHECKING:
    from tffs.training.session import Session


class Console:
    """Standard output, standard error, and the person's wish to stop.

    Args:
        signals: tells whether SIGTERM or Ctrl-C was received.
    """

    def __init__(self, signals: Signals) -> None:
        self.signals = signals
        self._line = LiveLine(sys.stderr)
        self._began = time.monotonic()
        self._doing = ""

    def show(self, text: str) -> None:
        """Print a result."""
        print(printable(text), flush=True)

    def say(self, sentence: str) -> None:
        """Print a note."""
        self._line.end()
        print(printable(sentence), file=sys.stderr, flush=True)

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

    def session(self, label: str = "", checkpoints: str | None = None) -> "Session":
        """Give what a fit needs to be shown and stopped, and kept in a folder of checkpoints."""
        from tffs.training.session import Session  # imports TensorFlow, which not every mode does

        return Session(self.progress(label), self.say, self.signals.pending, checkpoints, fitted=label)

    def progress(self, label: str = "") -> Progress:
        """Start a progress line."""
        return Progress(sys.stderr, label)
