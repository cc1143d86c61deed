"""Worker processes with one thread each: more of them than cores are slower together."""

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

_POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def usable_cores() -> int:
    """Count the cores that this process may use, which are fewer than the machine's in a container."""
    return len(os.sched_getaffinity(0))


def start_process(work: Callable[[Connection], None]) -> tuple[BaseProcess, Connection]:
    """Start a process with one thread in every pool and a pipe to this one.

    Args:
        work: is called in the process with its end of the pipe.

    Returns:
        The process, and this end of the pipe, which ends when the process does.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs,), daemon=True)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited: a worker leaves Ctrl-C to the parent
    try:
        with _one_thread_each():
            process.start()
    finally:
        signal.signal(signal.SIGINT, before)
    theirs.close()
    return process, ours


@contextlib.contextmanager
def _one_thread_each() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _POOLS}
    os.environ.update(dict.fromkeys(_POOLS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
