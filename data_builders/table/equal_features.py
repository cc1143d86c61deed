"""Find features that have the same value in every row, block by block."""

import hashlib

import numpy as np


class EqualFeatures:
    """Keeps groups of features that are equal in all rows so far.

    A block is only looked at for features that still equal another one, so after the first rows of most tables
    this costs nothing. What is gathered of parts in any order and then merged is what is gathered of the whole.

    Args:
        count: the number of features.
    """

    def __init__(self, count: int) -> None:
        self._group = np.zeros(count, np.int64)  # of each feature, its group's first feature

    def add(self, x: np.ndarray) -> None:
        """Take in rows: float64 [features, rows], NaN where a value is missing; such values are equal."""
        if not x.shape[1]:
            return
        sizes = np.bincount(self._group, minlength=1)
        firsts: dict[tuple[int, bytes], int] = {}
        refined = np.arange(len(self._group))
        for feature in np.flatnonzero(sizes[self._group] > 1).tolist():
            values = x[feature] + 0.0  # -0.0 is 0.0
            values[np.isnan(values)] = np.nan  # of which there are many
            content = hashlib.blake2b(values, digest_size=16).digest()
            refined[feature] = firsts.setdefault((int(self._group[feature]), content), feature)
        self._group = refined

    def merge(self, other: "EqualFeatures") -> None:
        """Take in what was gathered of other rows."""
        pairs = self._group * max(len(self._group), 1) + other._group
        _, first, places = np.unique(pairs, return_index=True, return_inverse=True)
        self._group = first[places]

    def groups(self) -> list[list[int]]:
        """Give the groups of two features or more, each in order."""
        sizes = np.bincount(self._group, minlength=1)
        found: dict[int, list[int]] = {}
        for feature in np.flatnonzero(sizes[self._group] > 1).tolist():
            found.setdefault(int(self._group[feature]), []).append(feature)
        return list(found.values())
