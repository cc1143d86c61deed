"""Write a file whole or not at all."""

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def replacing(path: str, part: str | None = None) -> Iterator[str]:
    """Give a path to write to, which takes the place of `path` when the block ends well.

    Args:
        path: the file.
        part: what it is called until it is whole, in the same folder; `<path>.part` if not given.
    """
    part = part or f"{path}.part"
    try:
        yield part
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            os.remove(part)
