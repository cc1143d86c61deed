"""A pool of worker processes, one thread each, that outlives any of them.

Why not a ready-made one: `concurrent.futures.ProcessPoolExecutor` and joblib's loky fail every job when one
worker dies, cannot say how far a job is, and cannot drop what is at work; `multiprocessing.Pool` waits forever
for the job of a worker that died. Here a worker that dies costs its own jobs, and another takes its place.
"""

import contextlib
import dataclasses
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from tffs.errors import UserError
from tffs.processes.one_thread import start_process
from tffs.processes.worker import READY, REFUSED, SHARE, Opener, work

REPLACED_AFTER = 25  # times it was given jobs, because TensorFlow keeps some memory of every program
_WAIT_SECONDS = 0.5


class Died(NamedTuple):
    """In place of an answer: the process died."""

    exit_code: int | None


class Answer(NamedTuple):
    """The outcome of a job.

    Attributes:
        job: as it was given.
        outcome: what the process made of it, or `Died`.
        seconds: since the process began with the jobs that were given together with this one.
    """

    job: Any
    outcome: Any
    seconds: float


class AtWork(NamedTuple):
    """What a process is doing.

    Attributes:
        jobs: those without an answer, the one at work first.
        share: of the steps of the one at work that are done.
    """

    jobs: list[Any]
    share: float


@dataclasses.dataclass(eq=False)
class _Worker:
    """A process, as the parent sees it."""

    process: BaseProcess
    connection: Connection
    ready: bool = False
    times_given: int = 0
    jobs: list[Any] = dataclasses.field(default_factory=list)  # without an answer
    share: float = 0.0
    began: float = 0.0

    def begin(self) -> None:
        """Have the process begin with its jobs."""
        self.began = time.monotonic()
        self.send(self.jobs)

    def send(self, message: Any) -> None:
        """Send a message."""
        with contextlib.suppress(OSError):  # it died since it was heard, which is heard next
            self.connection.send(message)


class Pool:
    """Gives jobs to processes, which start when there is something to do.

    Args:
        opener: makes what does the jobs, in each process; it is pickled, and so are jobs and answers.
        count: how many processes there are at most; their places are numbered from 0.
        replaced_after: how often a process is given jobs before another one takes its place.
    """

    def __init__(self, opener: Opener, count: int, replaced_after: int = REPLACED_AFTER) -> None:
        self._opener = opener
        self._count = count
        self._replaced_after = replaced_after
        self._workers: dict[int, _Worker] = {}  # by place

    def free(self) -> list[int]:
        """List the places without a job."""
        return [
            place for place in range(self._count) if place not in self._workers or not self._workers[place].jobs
        ]

    def at_work(self) -> list[AtWork]:
        """List what the processes are doing."""
        return [AtWork(worker.jobs, worker.share) for worker in self._workers.values() if worker.jobs]

    def give(self, place: int, jobs: Sequence[Any]) -> None:
        """Give jobs to a place that has none; its process does one after the other."""
        if place in self._workers and self._workers[place].times_given >= self._replaced_after:
            self._end(place)
        if place not in self._workers:
            self._workers[place] = _Worker(*start_process(work))
            self._workers[place].send(self._opener)
        worker = self._workers[place]
        worker.jobs, worker.share = list(jobs), 0.0
        worker.times_given += 1
        if worker.ready:
            worker.begin()

    def hear(self, seconds: float) -> list[Answer]:
        """Wait for news, for so many seconds at most, and give the answers among them."""
        heard = wait([worker.connection for worker in self._workers.values()], seconds)
        places = [place for place, worker in self._workers.items() if worker.connection in heard]
        return [answer for place in places for answer in self._hear(place)]

    def close(self) -> None:
        """End all processes at once; what they are doing is dropped."""
        for place in list(self._workers):
            self._end(place)

    def _hear(self, place: int) -> list[Answer]:
        worker = self._workers[place]
        try:
            kind, value = worker.connection.recv()
        except (EOFError, OSError):
            return self._lose(place)
        if kind == REFUSED:
            raise UserError(value)
        if kind == READY:
            worker.ready = True
            worker.begin()
        elif kind == SHARE:
            worker.share = value
        else:
            worker.share = 0.0
            return [Answer(worker.jobs.pop(0), value, time.monotonic() - worker.began)]
        return []

    def _lose(self, place: int) -> list[Answer]:
        """Give up the jobs of a process that died."""
        worker = self._workers[place]
        worker.process.join()
        code = worker.process.exitcode
        self._end(place)
        if not worker.ready:
            raise UserError(
                f"A worker process could not start (exit code {code}): see what it wrote above; with little "
                "memory, fewer workers may help."
            )
        return [Answer(job, Died(code), time.monotonic() - worker.began) for job in worker.jobs]

    def _end(self, place: int) -> None:
        worker = self._workers.pop(place)
        worker.process.kill()
        worker.process.join()
        worker.connection.close()


def keep_busy(
    pool: Pool,
    next_jobs: Callable[[int], Sequence[Any]],
    settle: Callable[[Answer], None],
    show: Callable[[], None],
    should_stop: Callable[[], bool],
) -> None:
    """Have all jobs done, or those that are done before someone asks to stop; then close the pool.

    Args:
        pool: does them.
        next_jobs: is called with the number of a free place and gives jobs for it, or none for now; when there
            are none and nothing is at work, all is done.
        settle: receives each answer.
        show: is called several times a second.
        should_stop: asked as often; True ends it, and what is at work is dropped.
    """
    try:
        while not should_stop():
            for place in pool.free():
                jobs = next_jobs(place)
                if not jobs:
                    break
                pool.give(place, jobs)
            if not pool.at_work():
                return
            for answer in pool.hear(_WAIT_SECONDS):
                settle(answer)
            show()
    finally:
        pool.close()
