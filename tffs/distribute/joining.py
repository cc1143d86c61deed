"""Becoming a worker: find the others, then let TensorFlow connect all."""

import contextlib
import signal
from collections.abc import Callable, Iterator

import tensorflow as tf

from tffs.distribute.cluster import Cluster
from tffs.distribute.gathering import gather
from tffs.distribute.multi_worker import LOSSES, MultiWorker
from tffs.errors import WorkerLost

WAIT_SECONDS = 600.0
_CONNECT_SECONDS = 120


def join(cluster: Cluster, say: Callable[[str], None], seconds: float = WAIT_SECONDS) -> MultiWorker:
    """Connect this process with the other workers; nothing of TensorFlow may have run before.

    Args:
        cluster: the workers, the same as in TF_CONFIG.
        say: receives one-sentence notes for the person.
        seconds: how long to wait for the others; may be infinite.
    """
    gather(cluster, seconds, say)
    # The strategy would make a replica a GPU, but a worker is one replica: start one worker a GPU.
    tf.config.set_visible_devices(tf.config.list_physical_devices("GPU")[:1], "GPU")
    try:
        with _no_endless_wait(), _signals_kept():
            return MultiWorker(tf.distribute.MultiWorkerMirroredStrategy())
    except LOSSES as error:
        raise WorkerLost(0) from error


@contextlib.contextmanager
def _no_endless_wait() -> Iterator[None]:
    """End the process if a worker dies right now, for whom TensorFlow would wait for ever.

    It waits in native code that lets no Python run, not even the handler of a signal.
    """
    signal.alarm(_CONNECT_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


@contextlib.contextmanager
def _signals_kept() -> Iterator[None]:
    """Put back the handler of SIGTERM, which TensorFlow takes to notice that a machine is preempted."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if before is not None:  # None is a handler that Python did not set and cannot put back
            signal.signal(signal.SIGTERM, before)
