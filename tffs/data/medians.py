"""Exact medians of columns whose rows pass by in blocks, in a memory that does not grow with the rows."""

from collections.abc import Callable, Iterator

import numpy as np

TABLE_BYTES = 32 * 2**20
MOST_BITS = 16
KEY_BITS = 32


def column_medians(blocks: Callable[[], Iterator[np.ndarray]], width: int) -> np.ndarray:
    """Find the median of each column's values that are there.

    This is selection by radix. A float32 is turned into a whole number of 32 bits in the same order; a pass
    over the rows counts, for every column, how often the highest bits take each value, which tells those of
    the median; the next pass counts the bits below among the values that begin so.

    Args:
        blocks: gives all rows from the first, float32 [rows, width] at a time; NaN is a missing value.
        width: the number of columns.

    Returns:
        float32 [width]: the mean of the two middle values, or NaN for a column without a value.
    """
    bits = int(np.clip(np.log2(TABLE_BYTES / (8 * width)), 1, MOST_BITS))
    columns = np.arange(width)
    key = np.zeros(width, np.uint32)  # of the lower of the two middle values, as far as it is known
    left = KEY_BITS
    while left:
        step = min(bits, left)
        counts = np.zeros((width, 2**step), np.int64)
        for block in blocks():
            keys, there = _keys(block)
            if left < KEY_BITS:
                there &= keys >> np.uint32(left) == key
            digits = (keys >> np.uint32(left - step)) & np.uint32(2**step - 1)
            np.add.at(counts.reshape(-1), np.nonzero(there)[1] * 2**step + digits[there], 1)
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
    upper = np.where(apart, _next(blocks, key), key) if apart.any() else key
    middle = np.stack([_values(key), _values(upper)]).mean(axis=0)
    return np.where(total > 0, middle, np.float32(np.nan))


def _next(blocks: Callable[[], Iterator[np.ndarray]], lower: np.ndarray) -> np.ndarray:
    """Find the least key of each column above `lower`."""
    most = np.uint32(2**KEY_BITS - 1)
    found = np.full(len(lower), most)
    for block in blocks():
        keys, there = _keys(block)
        above = np.where(there & (keys > lower), keys, most)
        np.minimum(found, above.min(axis=0, initial=most), out=found)
    return found


def _keys(block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give numbers in the order of the values, and which values are there."""
    there = ~np.isnan(block)
    bits = (block + np.float32(0)).view(np.uint32)  # -0.0 becomes 0.0
    sign = np.uint32(2 ** (KEY_BITS - 1))
    return np.where(bits & sign, ~bits, bits | sign), there


def _values(keys: np.ndarray) -> np.ndarray:
    sign = np.uint32(2 ** (KEY_BITS - 1))
    return np.where(keys & sign, keys ^ sign, ~keys).view(np.float32)
