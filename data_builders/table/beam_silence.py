"""Keep Beam quiet: what failed is told in one sentence."""

import contextlib
import logging
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Pass over log messages, and over what processes started meanwhile write to standard error.

    A worker that fails prints its traceback there, and one that cannot print it never says that it failed.
    """
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with _quiet_standard_error():
            yield
    finally:
        logging.disable(disabled)


@contextlib.contextmanager
def _quiet_standard_error() -> Iterator[None]:
    if sys.stderr is None:  # it was closed before we came
        yield
        return
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
