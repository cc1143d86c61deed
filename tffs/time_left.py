"""How long a piece of work will still take, from the shares of it that are done."""

LEAST_SECONDS = 2.0  # of work before its rate means something
LEAST_SHARE = 0.05
WEIGHT = 0.3  # of a new estimate beside what was left of the last one


class TimeLeft:
    """Estimates the seconds that are left.

    Each new share gives an estimate from the mean rate so far. It is averaged with the last estimate, so that
    one slow part does not make the time jump; between shares the time runs down.

    Args:
        began: when the work began, by the clock that all other times are from.
    """

    def __init__(self, began: float) -> None:
        self.began = began
        self.done = 0.0
        self._at = began
        self._left: float | None = None

    def tell(self, done: float, now: float) -> None:
        """Hear which share of the work is done."""
        if done <= self.done:
            return
        self.done = done
        spent = now - self.began
        if spent < LEAST_SECONDS or done < LEAST_SHARE:
            return
        estimate = spent * (1.0 - done) / done
        if self._left is not None:
            estimate = WEIGHT * estimate + (1.0 - WEIGHT) * max(self._left - (now - self._at), 0.0)
        self._left, self._at = estimate, now

    def at(self, now: float) -> float | None:
        """Give the seconds that are left, or None where they are not known or have run out."""
        if self._left is None:
            return None
        left = self._left - (now - self._at)
        return left if left >= 0.5 else None
