"""Tell whether a version folder that could not be loaded has changed since."""

import contextlib
import itertools
import os
from collections.abc import Iterator

MOST_FILES = 1000  # a version has tens; a symlink to a whole disk is not walked to its end

Fingerprint = tuple[tuple[str, int, int, int, int], ...]


def fingerprint_of(path: str) -> Fingerprint:
    """Describe a folder and what is in it: mode, size and times, so that a chmod counts as a change."""
    found = []
    for entry in itertools.islice(_entries(path), MOST_FILES):
        with contextlib.suppress(OSError):
            state = os.stat(entry)
            found.append((entry, state.st_mode, state.st_size, state.st_mtime_ns, state.st_ctime_ns))
    return tuple(sorted(found))


def _entries(path: str) -> Iterator[str]:
    yield path
    for folder, folders, files in os.walk(path):
        for name in (*folders, *files):
            yield os.path.join(folder, name)
