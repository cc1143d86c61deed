"""One time limit for all that a call does, and repeating what failed within it."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from tffs.serving.client.errors import Refused, ServerUnavailable

ATTEMPTS = 6
FIRST_WAIT = 0.1  # seconds; doubled for each further attempt, which makes three seconds in all

Answer = TypeVar("Answer")


class Deadline:
    """The time at which a call must be over.

    Args:
        seconds: how long the call may take from now on.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.began = time.monotonic()

    def left(self) -> float:
        """Give the seconds that are left; 0 if none are."""
        return max(self.began + self.seconds - time.monotonic(), 0.0)


def persistently(attempt: Callable[[], Answer], deadline: Deadline) -> Answer:
    """Repeat an attempt that was refused, with growing pauses, while there is time.

    Only what changes nothing at the server may be repeated, as every request of this client.

    Args:
        attempt: what to do; raises `Refused` if it may be tried again.
        deadline: when to give up.

    Returns:
        What the attempt gave.
    """
    last = None
    for number in range(ATTEMPTS):
        try:
            return attempt()
        except Refused as refusal:
            last = refusal
        except ServerUnavailable as too_late:
            raise last or too_late from too_late  # why it was refused tells more than that the time is over
        # Clients that were refused together must not come back together.
        pause = FIRST_WAIT * 2.0**number * random.uniform(0.5, 1.0)
        if number == ATTEMPTS - 1 or deadline.left() <= pause:
            break
        time.sleep(pause)
    assert last is not None
    raise last
