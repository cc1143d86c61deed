"""Keep a terminal free of what is not written by Python: native code, and programs that TFX starts."""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def native_output_to(file: TextIO) -> Iterator[None]:
    """Send what the process writes to its descriptors 1 and 2 to a file; `sys.stdout` and `sys.stderr` stay.

    TFX makes a wheel of a user's module file, and setuptools and pip tell how.

    Args:
        file: a file that is open for writing.
    """
    with contextlib.ExitStack() as undo:
        for descriptor, name in ((1, "stdout"), (2, "stderr")):
            stream = getattr(sys, name)
            if stream is None:  # it was closed before we came
                continue
            stream.flush()
            kept = os.dup(descriptor)
            undo.callback(os.close, kept)
            os.dup2(file.fileno(), descriptor)
            undo.callback(os.dup2, kept, descriptor)
            if _descriptor(stream) == descriptor:
                setattr(sys, name, open(os.dup(kept), "w", buffering=1, encoding=stream.encoding))  # noqa: SIM115
                undo.callback(setattr, sys, name, stream)
                undo.callback(getattr(sys, name).close)
        yield


def _descriptor(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (OSError, ValueError):  # it is none of the system's
        return None
