"""How many threads NumPy and scikit-learn may use."""

import contextlib
import functools
import threading
from collections.abc import Iterator

from threadpoolctl import ThreadpoolController


@contextlib.contextmanager
def at_most(threads: int | None) -> Iterator[None]:
    """Limit the threads of a block; None changes nothing.

    OpenMP's limit is that of the calling thread. That of BLAS is the whole process's, and blocks that overlap
    would put each other's limit back: so it is set from the main thread alone.
    """
    with contextlib.ExitStack() as limits:
        if threads is not None:
            limits.enter_context(_libraries("openmp").limit(limits=threads))
            if threading.current_thread() is threading.main_thread():
                limits.enter_context(_libraries("blas").limit(limits=threads))
        yield


@functools.cache
def _libraries(kind: str) -> ThreadpoolController:
    """Find the libraries that have threads once: that takes 10 ms, as long as a small mixture."""
    return ThreadpoolController().select(user_api=kind)
