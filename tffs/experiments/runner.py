"""Run a grid over worker processes, one thread each, handing over every result line as it comes."""

import collections
import contextlib
import dataclasses
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from tffs.config import DataPlace, RunConfig
from tffs.errors import UserError
from tffs.experiments import worker
from tffs.experiments.grid import Cell
from tffs.experiments.lines import failed_line
from tffs.experiments.time_left import TimeLeft
from tffs.one_thread import start_worker

JOBS_A_WORKER = 25  # then a fresh process takes over, because TensorFlow keeps some memory of every program
_WAIT_SECONDS = 0.5


@dataclasses.dataclass(eq=False)
class _Worker:
    """A process at work, as the parent sees it."""

    process: BaseProcess
    connection: Connection
    ready: bool = False
    jobs: int = 0  # how many it was given
    job: list[Cell] = dataclasses.field(default_factory=list)
    unanswered: list[Cell] = dataclasses.field(default_factory=list)
    share: float = 0.0  # of the steps of the cell at work
    began: float = 0.0


@dataclasses.dataclass(frozen=True)
class Standing:
    """Where a grid stands.

    Attributes:
        done: cells that have their line, failed ones included.
        failed: cells that failed.
        at_work: the cells at work, and the share of their steps that are done.
        seconds_left: an estimate, or None.
    """

    done: int
    failed: int
    at_work: tuple[tuple[Cell, float], ...]
    seconds_left: float | None


class Runner:
    """Runs jobs on worker processes.

    Args:
        runs: the run and the place of the rows for each dataset.
        count: how many processes.
        keep: receives each result line.
        show: is told several times a second where the grid stands.
        should_stop: asked as often; True ends the run.
    """

    def __init__(
        self,
        runs: dict[str, tuple[RunConfig, DataPlace]],
        count: int,
        keep: Callable[[dict[str, Any]], None],
        show: Callable[[Standing], None],
        should_stop: Callable[[], bool],
    ) -> None:
        self._runs = runs
        self._count = count
        self._keep = keep
        self._show = show
        self._should_stop = should_stop
        self._workers: list[_Worker] = []
        self._waiting: collections.deque[list[Cell]] = collections.deque()
        self._done = self._failed = 0
        self._time_left = TimeLeft(count)

    def run(self, jobs: list[list[Cell]]) -> None:
        """Do all jobs, or those that are done before someone asks to stop; what is at work then is dropped."""
        self._waiting.extend(jobs)
        try:
            for _ in range(min(self._count, len(jobs))):
                self._start()
            while self._workers and not self._should_stop():
                heard = wait([one.connection for one in self._workers], _WAIT_SECONDS)
                for one in [one for one in self._workers if one.connection in heard]:
                    self._hear(one)
                self._show(self._standing())
        finally:
            for one in self._workers:
                one.process.kill()
                one.process.join()
            self._workers.clear()

    def _start(self) -> None:
        self._workers.append(_Worker(*start_worker(worker.work, self._runs)))

    def _hear(self, one: _Worker) -> None:
        try:
            kind, value = one.connection.recv()
        except (EOFError, OSError):
            self._lose(one)
            return
        if kind == worker.REFUSED:
            raise UserError(value)
        if kind == worker.BEGIN:
            one.share = 0.0
        elif kind == worker.SHARE:
            one.share = value
        elif kind == worker.LINE:
            one.unanswered.pop(0)
            self._settle(value)
        else:
            if kind == worker.DONE:
                self._time_left.learn(one.job, time.monotonic() - one.began)
            one.ready = True
            self._give(one)

    def _give(self, one: _Worker) -> None:
        """Give a worker its next job, or let it go."""
        one.job, one.unanswered = [], []
        if self._waiting and one.jobs < JOBS_A_WORKER:
            one.job = self._waiting.popleft()
            one.unanswered = list(one.job)
            one.share, one.began, one.jobs = 0.0, time.monotonic(), one.jobs + 1
            try:
                one.connection.send(one.job)
            except OSError:  # it died since it was heard
                self._lose(one)
            return
        with contextlib.suppress(OSError):
            one.connection.send(None)
        self._workers.remove(one)
        one.process.join()
        if self._waiting:
            self._start()

    def _lose(self, one: _Worker) -> None:
        """Record what a dead worker has left undone, and go on with another."""
        one.process.join()
        self._workers.remove(one)
        if not one.ready:
            raise UserError(
                f"A worker process could not start (exit code {one.process.exitcode}): see what it wrote "
                "above; with little memory, fewer --workers may help."
            )
        for cell in one.unanswered:
            self._settle(failed_line(cell, f"its process died (exit code {one.process.exitcode})"))
        if self._waiting:
            self._start()

    def _settle(self, line: dict[str, Any]) -> None:
        self._done += 1
        self._failed += line["status"] != "ok"
        self._keep(line)

    def _standing(self) -> Standing:
        busy = [one for one in self._workers if one.unanswered]
        at_work = tuple((one.unanswered[0], one.share) for one in busy)
        jobs = [*(one.job for one in busy), *self._waiting]
        shares = [1.0 - (len(one.unanswered) - one.share) / len(one.job) for one in busy]
        return Standing(self._done, self._failed, at_work, self._time_left.estimate(jobs, shares))
