"""The one lock of the project: a file that one process at a time holds open."""

import errno
import fcntl
import os
import stat
from io import FileIO


def open_locked(path: str, wait: bool = True) -> FileIO:
    """Open a file for this process alone; closing it, or the end of the process, lets the next one in.

    The file is made if it is not there, and what it holds is left as it is. A symbolic link is not followed,
    because somebody else may have made the folder. Every other process must ask through this function, too.

    Args:
        path: the file: one that is only for locking, or one that is written under its own lock.
        wait: whether to wait for a process that has it open; if not, that raises `BlockingIOError`.

    Returns:
        The file, unbuffered, to read and write. What cannot be opened or locked raises `OSError`.
    """
    try:
        # Without O_NONBLOCK a named pipe or a device could hold us up before its kind is known.
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP and os.path.islink(path):
            raise OSError(errno.ELOOP, "it is a symbolic link", path) from error
        raise
    file = FileIO(descriptor, "r+")
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", path)
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BaseException:  # also KeyboardInterrupt while it waits
        file.close()
        raise
    return file
