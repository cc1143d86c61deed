"""Read arrays of .npy and .npz files, after a look at what they declare."""

import math
import os
import zipfile
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from data_builders.table.unpacking import check_unpacked
from tffs.available_memory import available_memory
from tffs.errors import UserError

_READ_HEADER = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def read_npz(path: str, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Read those of the arrays `names` that an .npz file holds.

    Raises:
        UserError: an array declares another size than it has, or they are larger than the memory.
        Exception: of many kinds, for a file that is damaged or holds Python objects.
    """
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.NameToInfo.get(f"{name}.npy") for name in names}
        there = {name: info for name, info in members.items() if info is not None}
        for name, info in there.items():
            check_unpacked(path, info.compress_size, info.file_size)
            with archive.open(info) as file:
                _check_size(f"{path} ('{name}')", file, info.file_size)
        _check_memory(path, sum(info.file_size for info in there.values()))
        return {name: _array(archive.open(info)) for name, info in there.items()}


def read_npy(path: str) -> np.ndarray:
    """Read the array of a .npy file; raises as `read_npz` does."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        _check_size(path, file, size)
    _check_memory(path, size)
    return _array(open(path, "rb"))


def _array(file: IO[bytes]) -> np.ndarray:
    with file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _check_size(called: str, file: IO[bytes], size: int) -> None:
    """Compare what the header of an array declares with the bytes that there are."""
    version = np.lib.format.read_magic(file)
    if version not in _READ_HEADER:
        raise ValueError(f"version {version} of the format is not known")
    shape, _, dtype = _READ_HEADER[version](file)
    if dtype.hasobject:
        raise ValueError("Python objects are never loaded")
    if not dtype.itemsize:  # any number of them would fit
        raise ValueError("items of no bytes are not known")
    expected = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or expected != size - file.tell():
        raise UserError(
            f"{called} declares an array {list(shape)} of {dtype}, which takes {expected} bytes, but it holds "
            f"{size - file.tell()}: save it again."
        )


def _check_memory(path: str, size: int) -> None:
    free: Any = available_memory()
    if free is not None and size > free:
        raise UserError(
            f"{path} takes {size / 1e9:.3g} GB, which are read at once, and {free / 1e9:.3g} GB of memory are "
            "free: save the table as Parquet, which is read in parts."
        )
