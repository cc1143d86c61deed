"""Numbered version folders: numbers that only grow, folders that appear and vanish whole."""

import contextlib
import os
from collections.abc import Iterator

from tffs.file_lock import open_locked
from tffs.serving.contract import versions_in
from tffs.whole_file import staging as staging_in

LAST = ".last_version"  # the greatest number ever given out; a server looks at numeric names only


def reserve(exports: str) -> int:
    """Give out the next version number, once, to one process."""
    with open_locked(os.path.join(exports, LAST)) as file:
        text = file.read().strip()
        last = int(text) if text.isdigit() else 0
        version = max([last, *versions_in(exports)]) + 1
        file.seek(0)
        file.write(b"%d\n" % version)  # over the old number, which a full disk leaves as it is
        file.truncate()
    return version


@contextlib.contextmanager
def staging(exports: str) -> Iterator[str]:
    """Give a folder on the same file system, outside of what a server polls; it is gone afterwards."""
    with staging_in(os.path.dirname(os.path.abspath(exports))) as folder:
        yield folder


def prune(exports: str, keep: int) -> list[int]:
    """Delete all but the `keep` newest versions, and give the numbers of those that went."""
    old = versions_in(exports)[:-keep]
    for version in old:
        with staging(exports) as folder, contextlib.suppress(FileNotFoundError):
            # Renamed first, so that no server loads a half-deleted one; another export may be faster.
            os.rename(os.path.join(exports, str(version)), os.path.join(folder, str(version)))
    return old
