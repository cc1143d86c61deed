"""Write a file or a folder whole or not at all: somewhere beside its place, and then renamed."""

import contextlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator

from tffs.errors import UserError

TEMPORARY = ".tffs-tmp-"  # what names begin with until the file or folder is whole


@contextlib.contextmanager
def replacing(path: str, folder: str | None = None) -> Iterator[str]:
    """Give a path to write to, which takes the place of `path` when the block ends well.

    Nobody else can know the name, so nothing is there, not even a link to another file. It ends like that of
    the file, because some writers go by the ending.

    Args:
        path: the file.
        folder: where to write it, on the same file system; beside `path` if not given.
    """
    beside, name = os.path.split(path)
    part = os.path.join(folder or beside, f"{TEMPORARY}{uuid.uuid4().hex[:12]}-{name}")
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        if error.filename == part:
            error.filename = path  # the name that the person knows
        raise
    finally:
        with contextlib.suppress(OSError):
            os.remove(part)


@contextlib.contextmanager
def staging(folder: str) -> Iterator[str]:
    """Give a new folder inside `folder`, to make there what is renamed when it is whole; it is gone afterwards.

    It is for this user alone, so rename what is inside it and not the folder itself.
    """
    stage = tempfile.mkdtemp(prefix=TEMPORARY, dir=folder)
    try:
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def check_folder_of(path: str) -> None:
    """Refuse a file in a folder that is not there, before work is done for it."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise UserError(f"{path} could not be written: {folder} is no folder. Make it, or give another file.")
