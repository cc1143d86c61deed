"""A search on this machine: the oracle here, the trials in processes."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from tffs.config import DataPlace, RunConfig
from tffs.processes.pool import REPLACED_AFTER, Answer, Died, Pool, keep_busy
from tffs.training.progress import Watch
from tffs.tuning.progress_line import progress_line
from tffs.tuning.training import bench_of
from tffs.tuning.trial import Figures, Job, Row
from tffs.tuning.trials import Trials


def search_pool(run: RunConfig, place: DataPlace, folds: int, count: int) -> Pool:
    """Make the processes that train trials.

    Args:
        run: as the flags give it.
        place: where the rows come from.
        folds: how many source tasks validate in turn; each is a training.
        count: how many processes.
    """
    return Pool(functools.partial(_open_bench, run, place, folds), count, math.ceil(REPLACED_AFTER / folds))


def _open_bench(
    run: RunConfig, place: DataPlace, folds: int, progress: Watch
) -> Callable[[Job], Figures | str]:
    return functools.partial(bench_of(run, place, folds).outcome, progress=progress)


class Search:
    """Has every trial trained that the oracle proposes, and the default.

    Args:
        trials: proposes and keeps them.
        pool: trains them.
        workers: how many at a time.
        keep: receives each trial that has ended.
        show: receives a line on where the search stands several times a second.
        should_stop: asked as often; True ends the search, and what is at work is dropped.
    """

    def __init__(
        self,
        trials: Trials,
        pool: Pool,
        workers: int,
        keep: Callable[[Row], None],
        show: Callable[[str], Any],
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
        keep_busy(self._pool, self._next, self._settle, lambda: self._show(self._line()), self._should_stop)

    def _next(self, place: int) -> Sequence[Job]:
        if not self._default_given:
            self._default_given = True
            return [self._trials.default_job]
        if self._over:
            return []
        job = self._trials.proposed(f"worker{place}")
        if isinstance(job, Job):
            return [job]
        self._over = job == "STOPPED"
        return []

    def _settle(self, answer: Answer) -> None:
        outcome = answer.outcome
        if isinstance(outcome, Died):
            outcome = f"Its process died (exit code {outcome.exit_code})."
        self._keep(self._trials.settle(answer.job, outcome))

    def _line(self) -> str:
        at_work = [(jobs[0], share) for jobs, share in self._pool.at_work()]
        return progress_line(self._trials.rows(), at_work, self._trials.budget, self._workers)
