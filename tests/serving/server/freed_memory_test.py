import ctypes
import os

import pytest

from tffs.serving.server import loaded_version
from tffs.serving.server.freed_memory import give_back
from tffs.serving.server.loaded_version import LoadedVersion

BLOCKS, BYTES = 800, 64_000  # too large for holes that other tests have left


def resident():
    """Give the bytes of memory that this process holds."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_what_is_freed_goes_back_to_the_system():
    library = ctypes.CDLL(None)
    if not hasattr(library, "malloc_trim"):
        pytest.skip("this C library cannot be asked")
    library.malloc.restype = ctypes.c_void_p
    library.free.argtypes = (ctypes.c_void_p,)
    blocks = [library.malloc(BYTES) for _ in range(BLOCKS)]
    for block in blocks:
        ctypes.memset(block, 1, BYTES)
    for block in blocks[:-1]:  # the last one keeps the others from going back by themselves
        library.free(block)
    before = resident()
    give_back()
    after = resident()
    library.free(blocks[-1])
    assert after < before - 0.8 * BLOCKS * BYTES


def test_a_version_that_is_closed_gives_its_memory_back(exported, monkeypatch):
    version, asked = LoadedVersion(exported, 1), []
    monkeypatch.setattr(loaded_version, "give_back", lambda: asked.append(hasattr(version, "_session")))
    version.close()
    assert asked == [False]  # after the session is gone
