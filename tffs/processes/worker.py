"""A worker process: TensorFlow on one thread, jobs in through a pipe, progress and answers out."""

import contextlib
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from tffs.errors import UserError
from tffs.startup import start_tensorflow
from tffs.training.progress import Status, Watch

TOLD_EVERY = 0.5  # seconds

# What a worker sends, each with one value: it is ready; it cannot work, and why; the share of a job's steps
# that are done; the answer to a job.
READY, REFUSED, SHARE, ANSWER = "ready", "refused", "share", "answer"

# Is called in a worker with a watch that is told of training steps; loads what is needed and returns what does
# a job and gives its answer.
Opener = Callable[[Watch], Callable[[Any], Any]]


class RemoteProgress:
    """Tells the parent how far a training is, now and then.

    Args:
        connection: the pipe to the parent.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._told = 0.0

    def update(self, status: Status, final: bool = False) -> None:
        """Send the share of steps that are done, if it is time to."""
        now = time.monotonic()
        if now - self._told >= TOLD_EVERY:
            self._told = now
            self._connection.send((SHARE, status.step / status.steps))

    def end(self) -> None:
        """Do nothing: the line is the parent's."""


def work(connection: Connection) -> None:
    """Load what is needed, then do jobs until the parent is gone.

    Args:
        connection: the pipe to the parent, which sends an `Opener` first, and then jobs, a list at a time.
    """
    start_tensorflow(threads=1)  # before anything that arrives imports it
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone
        opener: Opener = connection.recv()
        try:
            do = opener(RemoteProgress(connection))
        except UserError as error:
            connection.send((REFUSED, str(error)))
            return
        connection.send((READY, None))
        while True:
            for job in connection.recv():
                connection.send((ANSWER, do(job)))
