"""What the source tasks' rows look like, feature by feature: all that scaling may learn from."""

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tffs.data.medians import column_medians

if TYPE_CHECKING:  # it imports TensorFlow
    from tffs.data.stored_rows import Rows

BLOCK_BYTES = 8 * 2**20
SQUEEZED = 0.08  # standard deviations by ranges below this; a million normal values have 0.10


@dataclasses.dataclass(frozen=True)
class SourceStatistics:
    """Figures of each feature over the source rows, with missing values replaced by the median.

    A pipeline that computes them itself, as TensorFlow Transform does, holds tensors in the place of arrays.

    Attributes:
        low: float32 [features], the least value.
        high: the greatest.
        mean: the mean.
        stddev: the standard deviation.
        median: the median of the values that are there; zero where none was asked for.
    """

    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    stddev: np.ndarray
    median: np.ndarray

    @classmethod
    def of(cls, matrix: "Rows", rows: np.ndarray, medians: bool) -> "SourceStatistics":
        """Measure the rows `rows` of `matrix`, block by block, so that they are never copied as a whole.

        Args:
            matrix: float32 [all rows, features]; NaN is allowed with `medians` only.
            rows: row numbers.
            medians: also find the medians, which replace missing values.
        """
        width = matrix.shape[1]
        median = np.zeros(width, np.float32)
        if medians:
            median = column_medians(lambda: _blocks(matrix, rows), width)
        low, high = np.full(width, np.inf, np.float32), np.full(width, -np.inf, np.float32)
        total = np.zeros(width)
        for block in _filled(_blocks(matrix, rows), median):
            np.minimum(low, block.min(axis=0), out=low)
            np.maximum(high, block.max(axis=0), out=high)
            total += block.sum(axis=0, dtype=np.float64)
        mean = total / len(rows)
        squares = _squares(_filled(_blocks(matrix, rows), median), mean)
        stddev = np.where(low == high, 0.0, np.sqrt(squares / len(rows)))
        return cls(low, high, mean.astype(np.float32), stddev.astype(np.float32), median)

    def offset_and_width(self, method: str) -> tuple[np.ndarray, np.ndarray]:
        """Give what `method` (`minmax`, `standard` or `none`) subtracts and divides by."""
        if method == "minmax":
            return self.low, self.high - self.low
        if method == "standard":
            return self.mean, self.stddev
        zero = 0.0 * self.low
        return zero, zero + 1.0

    def squeezed(self) -> list[int]:
        """List the features that a few extreme values squeeze into a small part of their range."""
        return np.flatnonzero(
            (self.high > self.low) & (self.stddev < SQUEEZED * (self.high - self.low))
        ).tolist()

    def activation(self, method: str) -> str:
        """Choose the decoder's last activation for rows scaled by `method`."""
        if method == "none":
            low, high = self.low.min(), self.high.max()
            if low >= 0.0 and high <= 1.0:
                return "sigmoid"
            return "tanh" if low >= -1.0 and high <= 1.0 else "linear"
        return "sigmoid" if method == "minmax" else "linear"


def variances(matrix: "Rows", rows: np.ndarray) -> np.ndarray:
    """Give the variance of each feature over some rows without missing values, block by block.

    Args:
        matrix: float32 [all rows, features].
        rows: row numbers.

    Returns:
        float64 [features].
    """
    total = sum(block.sum(axis=0, dtype=np.float64) for block in _blocks(matrix, rows))
    return _squares(_blocks(matrix, rows), total / len(rows)) / len(rows)


def _squares(blocks: Iterator[np.ndarray], mean: np.ndarray) -> np.ndarray:
    squares = np.zeros(len(mean))
    for block in blocks:
        squares += np.square(block - mean).sum(axis=0)
    return squares


def _blocks(matrix: "Rows", rows: np.ndarray) -> Iterator[np.ndarray]:
    size = max(BLOCK_BYTES // (4 * matrix.shape[1]), 1)
    for start in range(0, len(rows), size):
        yield matrix[rows[start : start + size]]


def _filled(blocks: Iterator[np.ndarray], median: np.ndarray) -> Iterator[np.ndarray]:
    """Fill in missing values."""
    for block in blocks:
        missing = np.isnan(block)
        yield np.where(missing, median, block) if missing.any() else block
