"""How a mode talks to the person: results to standard output, everything else to standard error."""

import sys

from tffs.signals import Signals
from tffs.training.progress import Progress


class Console:
    """Standard output, standard error, and the person's wish to stop.

    Args:
        signals: tells whether SIGTERM or Ctrl-C came.
    """

    def __init__(self, signals: Signals) -> None:
        self.signals = signals

    def show(self, text: str) -> None:
        """Print a result."""
        print(text, flush=True)

    def say(self, sentence: str) -> None:
        """Print a note."""
        print(sentence, file=sys.stderr, flush=True)

    def progress(self, label: str = "") -> Progress:
        """Start a progress line."""
        return Progress(sys.stderr, label)
