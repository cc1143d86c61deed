"""A worker process: one thread, trials in through a pipe, progress and figures out."""

from multiprocessing.connection import Connection

from tffs.config import DataPlace, RunConfig
from tffs.errors import UserError
from tffs.experiments.worker import DONE, READY, REFUSED, RemoteProgress
from tffs.startup import start_tensorflow


def work(connection: Connection, run: RunConfig, place: DataPlace, folds: int) -> None:
    """Load the data, then train trials until the parent is gone.

    Args:
        connection: the pipe to the parent.
        run: as the flags give it.
        place: where the rows come from.
        folds: how many source tasks validate in turn.
    """
    start_tensorflow(threads=1)
    from tffs.tuning.training import bench_of

    try:
        bench = bench_of(run, place, folds)
    except UserError as error:
        connection.send((REFUSED, str(error)))
        return
    progress = RemoteProgress(connection)
    try:
        connection.send((READY, None))
        while True:
            connection.send((DONE, bench.outcome(connection.recv(), progress)))
    except (EOFError, OSError):  # the parent is gone
        return
