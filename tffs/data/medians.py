"""Exact medians of columns whose rows pass by in blocks, in a memory that does not grow with the rows."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import ClassVar

import numpy as np

from tffs.data.sums import Arrays, RowSums

TABLE_BYTES = 32 * 2**20
MOST_BITS = 16
KEY_BITS = 32


def column_medians(over_rows: Callable[[RowSums], Arrays], width: int) -> np.ndarray:
    """Find the median of each column's values that are there.

    This is selection by radix. A float32 is turned into a whole number of 32 bits in the same order; a pass
    over the rows counts, for every column, how often the highest bits take each value, which tells those of
    the median; the next pass counts the bits below among the values that begin so.

    Args:
        over_rows: sums over all rows, float32 [rows, width]; NaN is a missing value.
        width: the number of columns.

    Returns:
        float32 [width]: the mean of the two middle values, or NaN for a column without a value.
    """
    bits = _bits(width)
    columns = np.arange(width)
    key = np.zeros(width, np.uint32)  # of the lower of the two middle values, as far as it is known
    left = KEY_BITS
    while left:
        step = min(bits, left)
        counts = over_rows(_Digits(key, left, step))["counts"]
        up_to = counts.cumsum(axis=1)
        if left == KEY_BITS:
            total = up_to[:, -1]
            rank = (total - 1).clip(0) // 2
        digit = (up_to <= rank[:, None]).sum(axis=1).clip(max=2**step - 1)
        same = counts[columns, digit]
        rank -= up_to[columns, digit] - same  # those of smaller digits come before it
        key = (key << np.uint32(step)) | digit.astype(np.uint32)
        left -= step
    # Where the number of values is even and no other value is the same, the upper one is the next.
    apart = (total % 2 == 0) & (rank + 1 >= same)
    upper = np.where(apart, over_rows(_Next(key))["keys"], key) if apart.any() else key
    middle = np.stack([_values(key), _values(upper)]).mean(axis=0)
    return np.where(total > 0, middle, np.float32(np.nan))


def passes_for(width: int) -> int:
    """Give how many passes over the rows medians take at most."""
    return -(-KEY_BITS // _bits(width)) + 1


def _bits(width: int) -> int:
    """Give how many bits a pass finds."""
    return int(np.clip(np.log2(TABLE_BYTES / (8 * width)), 1, MOST_BITS))


@dataclasses.dataclass(frozen=True)
class _Digits:
    """How often the next `step` of `left` bits take each value, among keys that begin with `key`."""

    key: np.ndarray
    left: int
    step: int
    merged: ClassVar[Mapping[str, np.ufunc]] = {"counts": np.add}

    def zeros(self) -> Arrays:
        return {"counts": np.zeros((len(self.key), 2**self.step), np.int64)}

    def add(self, sums: Arrays, block: np.ndarray) -> None:
        keys, there = _keys(block)
        if self.left < KEY_BITS:
            there &= keys >> np.uint32(self.left) == self.key
        digits = (keys >> np.uint32(self.left - self.step)) & np.uint32(2**self.step - 1)
        places = np.nonzero(there)[1] * 2**self.step + digits[there]
        np.add.at(sums["counts"].reshape(-1), places, 1)


@dataclasses.dataclass(frozen=True)
class _Next:
    """The least key of each column above `lower`."""

    lower: np.ndarray
    merged: ClassVar[Mapping[str, np.ufunc]] = {"keys": np.minimum}

    def zeros(self) -> Arrays:
        return {"keys": np.full(len(self.lower), 2**KEY_BITS - 1, np.uint32)}

    def add(self, sums: Arrays, block: np.ndarray) -> None:
        keys, there = _keys(block)
        most = np.uint32(2**KEY_BITS - 1)
        above = np.where(there & (keys > self.lower), keys, most)
        np.minimum(sums["keys"], above.min(axis=0, initial=most), out=sums["keys"])


def _keys(block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give numbers in the order of the values, and which values are there."""
    there = ~np.isnan(block)
    bits = (block + np.float32(0)).view(np.uint32)  # -0.0 becomes 0.0
    sign = np.uint32(2 ** (KEY_BITS - 1))
    return np.where(bits & sign, ~bits, bits | sign), there


def _values(keys: np.ndarray) -> np.ndarray:
    sign = np.uint32(2 ** (KEY_BITS - 1))
    return np.where(keys & sign, keys ^ sign, ~keys).view(np.float32)
