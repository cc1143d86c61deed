"""A worker process: one thread, jobs in through a pipe, result lines and progress out."""

import time
from multiprocessing.connection import Connection

from tffs.config import DataPlace, RunConfig
from tffs.errors import UserError
from tffs.startup import start_tensorflow
from tffs.training.progress import Status

TOLD_EVERY = 0.5  # seconds

# What a worker tells, each with one argument: it is ready; it cannot work, and why; a cell begins; the share of
# its steps that are done; a result line; the job is done.
READY, REFUSED, BEGIN, SHARE, LINE, DONE = "ready", "refused", "begin", "share", "line", "done"


class RemoteProgress:
    """Tells the parent how far a training is, now and then.

    Args:
        connection: the pipe to the parent.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._told = 0.0

    def update(self, status: Status, final: bool = False) -> None:
        """Tell the share of steps that are done, if it is time to."""
        now = time.monotonic()
        if now - self._told >= TOLD_EVERY:
            self._told = now
            self._connection.send((SHARE, status.step / status.steps))

    def end(self) -> None:
        """Do nothing: the line is the parent's."""


def work(connection: Connection, runs: dict[str, tuple[RunConfig, DataPlace]]) -> None:
    """Load the data, then do jobs until there are none or the parent is gone.

    Args:
        connection: the pipe to the parent.
        runs: the run and the place of the rows for each dataset.
    """
    start_tensorflow(threads=1)
    from tffs.experiments.workshop import Workshop

    workshop = Workshop(runs, RemoteProgress(connection))
    try:
        workshop.load()
    except UserError as error:
        connection.send((REFUSED, str(error)))
        return
    try:
        connection.send((READY, None))
        while (job := connection.recv()) is not None:
            for line in workshop.results(job, lambda cell: connection.send((BEGIN, cell))):
                connection.send((LINE, line))
            connection.send((DONE, None))
    except (EOFError, OSError):  # the parent is gone
        return
