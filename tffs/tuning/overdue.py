"""Trials of a distributed search whose worker may be gone: keras-tuner's protocol has no heartbeat."""

import time
from collections.abc import Callable, Mapping, Sequence

from tffs.training.progress import duration
from tffs.tuning.role import ID
from tffs.tuning.trial import Job, Row, named

TIMES = 5.0  # as long as the slowest trial so far would have taken
LEAST_SECONDS = 60.0


class Overdue:
    """Notices trials that take much longer than those before them.

    Args:
        clock: gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[tuple[str, str], float] = {}
        self._told: set[tuple[str, str]] = set()

    def notes(self, at_work: Mapping[str, Job], rows: Sequence[Row]) -> list[str]:
        """Say which trials are overdue, each once.

        Args:
            at_work: the job of each worker, by the worker's name.
            rows: the trials that have ended.
        """
        now = self._clock()
        here = {(worker, job.trial): job for worker, job in at_work.items()}
        self._since = {key: self._since.get(key, now) for key in here}
        rates = [row.figures.seconds / row.steps for row in rows if row.figures is not None]
        if not rates:
            return []
        late = [
            key
            for key, job in here.items()
            if key not in self._told
            and now - self._since[key] > max(TIMES * max(rates) * job.steps, LEAST_SECONDS)
        ]
        self._told.update(late)
        return [
            f"{named(trial).capitalize()} has been with worker {worker} for "
            f"{duration(now - self._since[worker, trial])}, much longer than others took: if that worker is "
            f"gone, start it again with {ID}={worker}, or stop the chief and start it again, which gives the "
            "trial to another worker."
            for worker, trial in late
        ]
