"""Give freed memory back to the system."""

import contextlib
import ctypes


def give_back() -> None:
    """Return what was freed to the system, where the C library can be asked to (glibc).

    glibc keeps freed pieces for the threads that allocated them. Every version is loaded in a thread of its
    own, so without this a server grows with every new version, to about twice its size.
    """
    with contextlib.suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
