"""Watch TFX's local runner: which component runs, for how long, and whether the cache had its outputs."""

import logging
import time
from typing import TextIO

_RUNNING, _FINISHED = "Component %s is running.", "Component %s is finished."
_CACHED = "A cached execution %d is used."


class Watcher(logging.Handler):
    """Hears what the runner logs and tells the person the little that matters.

    Args:
        stream: where to.

    Attributes:
        running: the component at work, or empty.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(logging.INFO)
        self._stream = stream
        self._components = 0
        self._number = 0
        self._began = 0.0
        self._cached = False
        self.running = ""

    def expect(self, components: int) -> None:
        """Hear how many components there will be."""
        self._components = components

    def emit(self, record: logging.LogRecord) -> None:
        """Take a line of the log."""
        if record.msg == _RUNNING:
            self._number += 1
            self.running, self._began, self._cached = str(record.args[0]), time.monotonic(), False  # type: ignore[index]
            if self._stream.isatty():
                self._write("...\r")  # what a component says goes over it
        elif record.msg == _CACHED:
            self._cached = True
        elif record.msg == _FINISHED:
            spent = "from the cache" if self._cached else f"{time.monotonic() - self._began:.1f} s"
            self._write(f"{spent}\n")
            self.running = ""

    def end(self) -> None:
        """End the line of a component that did not."""
        if self.running and self._stream.isatty():
            self._stream.write("\n")

    def _write(self, text: str) -> None:
        start = "\r\x1b[K" if self._stream.isatty() else ""
        self._stream.write(f"{start}[{self._number:2}/{self._components}] {self.running}: {text}")
        self._stream.flush()
