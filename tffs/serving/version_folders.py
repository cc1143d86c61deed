"""Numbered version folders: numbers that only grow, folders that appear and vanish whole."""

import contextlib
import os
from collections.abc import Iterator

from tffs.errors import UserError
from tffs.file_lock import open_locked
from tffs.serving.contract import LARGEST_VERSION, versions_in
from tffs.whole_file import staging as staging_in

LAST = ".last_version"  # the greatest number ever given out; a server looks at numeric names only


def reserve(exports: str) -> int:
    """Give out the next version number, once, to one process."""
    with open_locked(os.path.join(exports, LAST)) as file:
        text = file.read().decode(errors="replace").strip()
        version = number_after(max([_counted(text), *versions_in(exports)]), exports)
        file.seek(0)
        file.write(b"%d\n" % version)  # over the old number, which a full disk leaves as it is
        file.truncate()
    return version


def number_after(newest: int, exports: str) -> int:
    """Give the number that follows the newest version, or refuse if a server could not read it."""
    if newest >= LARGEST_VERSION:
        raise UserError(
            f"{exports} has version {newest}, the largest number that a model server can read, so no version "
            "can follow: use another folder, or rename that version to a smaller number."
        )
    return newest + 1


def _counted(text: str) -> int:
    """Read the counter; one that was damaged counts as 0."""
    number = int(text) if text.isdecimal() and len(text) < 20 else 0
    return number if number <= LARGEST_VERSION else 0


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
