"""SIGTERM and Ctrl-C: at once where nothing is lost, and after saving where something would be."""

import contextlib
import signal
from collections.abc import Iterator
from types import TracebackType


class Signals:
    """Handles SIGTERM and SIGINT while its block runs.

    A signal raises KeyboardInterrupt, except inside `deferred()`: there the first one only sets `pending`, for
    the block to ask for, and the second one raises.

    Attributes:
        received: the number of the first signal, or None.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._deferring = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> "Signals":
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def pending(self) -> bool:
        """Tell whether a signal was received."""
        return self.received is not None

    @contextlib.contextmanager
    def deferred(self) -> Iterator[None]:
        """Let the first signal wait until the block asks for it, or ends."""
        self._deferring = True
        try:
            yield
        finally:
            self._deferring = False
        if self.pending():
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: object) -> None:
        again = self.pending()
        self.received = self.received or number
        if again or not self._deferring:
            raise KeyboardInterrupt
