"""Log what may happen a thousand times a second once a minute."""

import time
from collections.abc import Callable

SECONDS = 60.0


class SeldomLog:
    """Logs a line at most once a minute for each kind.

    Args:
        log: takes one line.
    """

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log
        self._logged: dict[str, float] = {}

    def say(self, kind: str, line: str) -> None:
        """Log a line, unless one of its kind was logged within the last minute."""
        now = time.monotonic()
        if now - self._logged.get(kind, -SECONDS) >= SECONDS:
            self._logged[kind] = now
            self._log(line)
