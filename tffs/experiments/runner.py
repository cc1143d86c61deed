"""Run a grid in worker processes, handing over every result line as it comes."""

import collections
import functools
from collections.abc import Callable, Sequence
from typing import Any

from tffs.config import DataPlace, RunConfig
from tffs.experiments.grid import Cell, Job
from tffs.experiments.lines import failed_line
from tffs.experiments.time_left import TimeLeft
from tffs.processes.pool import Answer, Died, Pool, keep_busy
from tffs.training.progress import Watch, duration

Runs = dict[str, tuple[RunConfig, DataPlace]]


def grid_pool(runs: Runs, count: int) -> Pool:
    """Make the processes that fit and measure cells.

    Args:
        runs: the run and the place of the rows for each dataset.
        count: how many processes.
    """
    return Pool(functools.partial(_open_workshop, runs), count)


def _open_workshop(runs: Runs, progress: Watch) -> Callable[[Job], dict[str, Any]]:
    from tffs.experiments.workshop import Workshop  # with TensorFlow, which the parent does not need

    workshop = Workshop(runs, progress)
    return lambda job: workshop.result(job.cell, job.group)


class Runner:
    """Has every cell of a grid done.

    Args:
        pool: does them.
        workers: how many groups of cells at a time.
        keep: receives each result line.
        show: receives a line on where the grid stands several times a second.
        should_stop: asked as often; True ends the run, and what is at work is dropped.
    """

    def __init__(
        self,
        pool: Pool,
        workers: int,
        keep: Callable[[dict[str, Any]], None],
        show: Callable[[str], Any],
        should_stop: Callable[[], bool],
    ) -> None:
        self._pool = pool
        self._keep = keep
        self._show = show
        self._should_stop = should_stop
        self._time_left = TimeLeft(workers)
        self._waiting: collections.deque[list[Cell]] = collections.deque()
        self._done = self._failed = self._total = 0

    def run(self, groups: list[list[Cell]]) -> None:
        """Do all groups of cells, each in one process, or those that are done before someone asks to stop."""
        self._waiting.extend(groups)
        self._total = sum(map(len, groups))
        keep_busy(self._pool, self._next, self._settle, lambda: self._show(self._line()), self._should_stop)

    def _next(self, place: int) -> Sequence[Job]:
        group = self._waiting.popleft() if self._waiting else []
        return [Job(cell, group) for cell in group]

    def _settle(self, answer: Answer) -> None:
        (cell, group), line, seconds = answer
        if isinstance(line, Died):
            line = failed_line(cell, f"its process died (exit code {line.exit_code})")
        elif cell == group[-1]:
            self._time_left.learn(group, seconds)
        self._done += 1
        self._failed += line["status"] != "ok"
        self._keep(line)

    def _line(self) -> str:
        at_work = self._pool.at_work()
        begun = [jobs[0].group for jobs, _ in at_work]
        shares = [
            1.0 - (len(jobs) - share) / len(group) for (jobs, share), group in zip(at_work, begun, strict=True)
        ]
        left = self._time_left.estimate([*begun, *self._waiting], shares)
        parts = [f"{self._done}/{self._total} cells"]
        if self._failed:
            parts.append(f"{self._failed} failed")
        if left is not None:
            parts.append(f"{duration(left)} left")
        parts += [f"{jobs[0].cell} ({100.0 * share:.0f} %)" for jobs, share in at_work]
        return "  ".join(parts)
