"""Write a file whole or not at all."""

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def replacing(path: str) -> Iterator[str]:
    """Give a path to write to, which takes the place of `path` when the block ends well."""
    part = f"{path}.part"
    try:
        yield part
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            os.remove(part)
