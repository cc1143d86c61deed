"""A search on this machine: the oracle here, the trials in processes."""

from collections.abc import Callable

from tffs.tuning.pool import Pool
from tffs.tuning.standing import Standing
from tffs.tuning.trial import Job, Row
from tffs.tuning.trials import Trials

_WAIT_SECONDS = 0.5


class Search:
    """Has every trial trained that the oracle proposes, and the default.

    Args:
        trials: proposes and keeps them.
        pool: trains them.
        workers: how many at a time.
        keep: hears of each trial that has ended.
        show: is told several times a second where the search stands.
        should_stop: asked as often; True ends the search, and what is at work is dropped.
    """

    def __init__(
        self,
        trials: Trials,
        pool: Pool,
        workers: int,
        keep: Callable[[Row], None],
        show: Callable[[Standing], None],
        should_stop: Callable[[], bool],
    ) -> None:
        self._trials = trials
        self._pool = pool
        self._workers = workers
        self._keep = keep
        self._show = show
        self._should_stop = should_stop
        self._default_given = trials.default_is_known
        self._over = False

    def run(self) -> None:
        """Go on until the oracle has had enough, or someone asks to stop."""
        try:
            while not self._should_stop():
                self._give()
                if not self._pool.at_work():
                    return
                for answer in self._pool.hear(_WAIT_SECONDS):
                    self._keep(self._trials.settle(*answer))
                self._show(
                    Standing(self._trials.rows(), self._pool.at_work(), self._trials.budget, self._workers)
                )
        finally:
            self._pool.close()

    def _give(self) -> None:
        """Give every free place a job, if there is one."""
        for place in self._pool.free():
            job = self._next(f"worker{place}")
            if job is None:
                return
            self._pool.give(place, job)

    def _next(self, worker: str) -> Job | None:
        if not self._default_given:
            self._default_given = True
            return self._trials.default_job
        if self._over:
            return None
        job = self._trials.proposed(worker)
        if isinstance(job, Job):
            return job
        self._over = job == "STOPPED"
        return None
