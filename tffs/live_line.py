"""Progress for a person: one live line on a terminal, plain lines now and then elsewhere."""

import os
import time
from collections.abc import Callable
from typing import TextIO

from tffs.printable import printable

LIVE_SECONDS = 0.2
PLAIN_SECONDS = 10.0


class LiveLine:
    """A line that is written over on a terminal, and written anew every few seconds elsewhere.

    Args:
        stream: usually standard error.
        fitted: shortens a text to a number of characters.

    Attributes:
        live: whether `stream` is a terminal.
    """

    def __init__(
        self, stream: TextIO, fitted: Callable[[str, int], str] = lambda text, width: text[:width]
    ) -> None:
        self._stream = stream
        self._fitted = fitted
        self.live = stream.isatty()
        self._shown = 0.0
        self._open = False

    def write(self, text: str, final: bool = False) -> bool:
        """Show `text` if it is time to, or in any case if it is final; tells whether it was shown."""
        now = time.monotonic()
        due = now - self._shown >= (LIVE_SECONDS if self.live else PLAIN_SECONDS)
        if not (due or final):
            return False
        self._shown = now
        text = printable(text)
        if self.live:
            # A line that wraps could not be written over.
            self._stream.write(f"\r\x1b[K{self._fitted(text, self._columns() - 1)}")
            self._open = True
            if final:
                self.end()
        else:
            self._stream.write(text + "\n")
        self._stream.flush()
        return True

    def end(self) -> None:
        """End the live line, so that what follows starts on a line of its own."""
        if self._open:
            self._open = False
            self._stream.write("\n")
            self._stream.flush()

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80
