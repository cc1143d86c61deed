"""Progress for a person: one live line on a terminal, plain lines now and then elsewhere."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from tffs.printable import printable

LIVE_SECONDS = 0.2
PLAIN_SECONDS = 10.0
TICK_SECONDS = 1.0  # between looks at a text that changes with time


class LiveLine:
    """A line that is written over on a terminal, and written anew every few seconds elsewhere.

    Several threads may write it.

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
        self._lock = threading.RLock()
        self._kept: Callable[[], str] | None = None
        self._ticking = False

    def write(self, text: str, final: bool = False) -> bool:
        """Show `text` if it is time to, or in any case if it is final; tells whether it was shown."""
        with self._lock:
            self._kept = None
            now = time.monotonic()
            due = now - self._shown >= (LIVE_SECONDS if self.live else PLAIN_SECONDS)
            if not (due or final):
                return False
            self._shown = now
            self._put(text)
            if final:
                self.end()
            return True

    def keep(self, text: Callable[[], str]) -> None:
        """Show a text that changes with time, until something else is written; only on a terminal."""
        with self._lock:
            if not self.live:
                return
            self._kept = text
            now = time.monotonic()
            if now - self._shown >= LIVE_SECONDS:
                self._shown = now
                self._put(text())
            if not self._ticking:
                self._ticking = True
                threading.Thread(target=self._tick, daemon=True).start()

    def make_room(self) -> None:
        """Take away the live line for something else to be printed; a kept text comes back after it."""
        with self._lock:
            if self._kept is None:
                self.end()
            else:
                kept = self._kept
                self.erase()
                self._kept = kept

    def leave(self) -> None:
        """Leave the line to another writer, who writes over it."""
        with self._lock:
            self._kept = None
            self._open = False

    def erase(self) -> None:
        """Take away the live line."""
        self._close("\r\x1b[K")

    def end(self) -> None:
        """End the live line, so that what follows starts on a line of its own."""
        self._close("\n")

    def _close(self, text: str) -> None:
        """Write what a live line ends with, if there is one."""
        with self._lock:
            self._kept = None
            if self._open:
                self._open = False
                self._stream.write(text)
                self._stream.flush()

    def _tick(self) -> None:
        """Show a kept text again and again."""
        while True:
            time.sleep(TICK_SECONDS)
            with self._lock:
                if self._kept is None:
                    self._ticking = False
                    return
                self._put(self._kept())

    def _put(self, text: str) -> None:
        text = printable(text)
        if self.live:
            # A line that wraps could not be written over.
            self._stream.write(f"\r\x1b[K{self._fitted(text, self._columns() - 1)}")
            self._open = True
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80


@contextlib.contextmanager
def shown_while(doing: str) -> Iterator[None]:
    """Show on a terminal what is being done in the block, which may redirect standard error meanwhile."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    began = time.monotonic()
    with os.fdopen(os.dup(sys.stderr.fileno()), "w", encoding=sys.stderr.encoding) as terminal:
        line = LiveLine(terminal)
        line.keep(lambda: f"{doing} ... {time.monotonic() - began:.0f} s")
        try:
            yield
        finally:
            line.erase()
