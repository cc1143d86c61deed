"""Worker processes, one thread each, which train one trial at a time."""

import contextlib
import dataclasses
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from tffs.config import DataPlace, RunConfig
from tffs.errors import UserError
from tffs.experiments.worker import DONE, READY, REFUSED, SHARE
from tffs.one_thread import start_worker
from tffs.tuning import worker
from tffs.tuning.trial import Figures, Job

TRAININGS_A_PROCESS = 25  # then a fresh one takes over, because TensorFlow keeps some memory of every program


@dataclasses.dataclass(eq=False)
class _Place:
    """A place of work, with the process that has it."""

    process: BaseProcess | None = None
    connection: Connection | None = None
    ready: bool = False
    jobs: int = 0  # of this process
    job: Job | None = None
    share: float = 0.0  # of the steps of the job


class Answer(NamedTuple):
    """A job that has ended, and its figures or why it failed."""

    job: Job
    outcome: Figures | str


class Pool:
    """Gives jobs to processes, which start when there is something to do.

    Args:
        run: as the flags give it.
        place: where the rows come from.
        folds: how many source tasks validate in turn.
        count: how many processes.
    """

    def __init__(self, run: RunConfig, place: DataPlace, folds: int, count: int) -> None:
        self._args = (run, place, folds)
        self._folds = folds
        self._places = [_Place() for _ in range(count)]

    def free(self) -> list[int]:
        """List the places without a job."""
        return [number for number, place in enumerate(self._places) if place.job is None]

    def at_work(self) -> list[tuple[Job, float]]:
        """List the jobs at work, and the share of their steps that are done."""
        return [(place.job, place.share) for place in self._places if place.job is not None]

    def give(self, number: int, job: Job) -> None:
        """Give a job to a place that has none."""
        place = self._places[number]
        place.job, place.share = job, 0.0
        if place.jobs * self._folds >= TRAININGS_A_PROCESS:
            self._end(place)
        if place.process is None:
            self._start(place)  # it gets the job when it is ready
        else:
            self._send(place)

    def hear(self, seconds: float) -> list[Answer]:
        """Wait for news, for so many seconds at most, and give the jobs that have ended."""
        living = {place.connection: place for place in self._places if place.connection is not None}
        heard = [self._hear(living[connection]) for connection in wait(list(living), seconds)]  # type: ignore
        return [answer for answer in heard if answer is not None]

    def close(self) -> None:
        """End all processes at once."""
        for place in self._places:
            self._end(place)

    def _start(self, place: _Place) -> None:
        place.process, place.connection = start_worker(worker.work, *self._args)
        place.ready, place.jobs = False, 0

    def _send(self, place: _Place) -> None:
        place.jobs += 1
        with contextlib.suppress(OSError):  # it died since it was heard, which is heard next
            place.connection.send(place.job)  # type: ignore[union-attr]

    def _hear(self, place: _Place) -> Answer | None:
        assert place.connection is not None
        try:
            kind, value = place.connection.recv()
        except (EOFError, OSError):
            return self._lose(place)
        if kind == REFUSED:
            raise UserError(value)
        if kind == READY:
            place.ready = True
            self._send(place)
        elif kind == SHARE:
            place.share = value
        elif kind == DONE:
            assert place.job is not None
            job, place.job = place.job, None
            return Answer(job, value)
        return None

    def _lose(self, place: _Place) -> Answer | None:
        """Give up the job of a process that died."""
        assert place.process is not None
        place.process.join()
        code, ready = place.process.exitcode, place.ready
        self._end(place)
        if not ready:
            raise UserError(
                f"A worker process could not start (exit code {code}): see what it wrote above; with little "
                "memory, fewer --workers may help."
            )
        job, place.job = place.job, None
        return None if job is None else Answer(job, f"Its process died (exit code {code}).")

    def _end(self, place: _Place) -> None:
        if place.process is not None and place.connection is not None:
            place.process.kill()
            place.process.join()
            place.connection.close()
        place.process = place.connection = None
        place.ready = False
