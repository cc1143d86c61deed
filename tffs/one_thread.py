"""Processes with one thread each: more than one a core are slower together."""

import contextlib
import os
from collections.abc import Iterator

_POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextlib.contextmanager
def one_thread_each() -> Iterator[None]:
    """Let the processes started in this block have one thread in every pool."""
    before = {name: os.environ.get(name) for name in _POOLS}
    os.environ.update(dict.fromkeys(_POOLS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
