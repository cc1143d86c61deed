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

# Groups that a process does before another takes its place: enough to use compiled loops for several splits,
# and not so many that the memory which TensorFlow keeps of other programs counts (about 7 MB a group).
REPLACED_AFTER = 150


def grid_pool(runs: Runs, count: int) -> Pool:
    """Make the processes that fit and measure cells.

    Args:
        runs: the run and the place of the rows for each dataset.
        count: how many processes.
    """
    return Pool(functools.partial(_open_workshop, runs), count, REPLACED_AFTER)


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
        self._home: dict[tuple, int] = {}  # which place has the compiled loops of a kind of group
        self._done = self._failed = self._total = 0

    def run(self, groups: list[list[Cell]]) -> None:
        """Do all groups of cells, each in one process, or those that are done before someone asks to stop."""
        self._waiting.extend(groups)
        self._total = sum(map(len, groups))
        keep_busy(self._pool, self._next, self._settle, lambda: self._show(self._line()), self._should_stop)

    def _next(self, place: int) -> Sequence[Job]:
        """Give the first group, or one of the same split that differs from an earlier one here in the split."""
        if not self._waiting:
            return ()
        split = self._waiting[0][0].split
        alike = (group for group in self._waiting if group[0].split == split)
        group = next((one for one in alike if self._home.get(_kind(one), place) == place), self._waiting[0])
        self._waiting.remove(group)
        self._home.setdefault(_kind(group), place)
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


def _kind(group: Sequence[Cell]) -> tuple:
    return group[0].dataset, group[0].method, group[0].num_selected
