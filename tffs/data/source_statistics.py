"""What the source tasks' rows look like, feature by feature: all that scaling may learn from."""

import dataclasses
from collections.abc import Iterator

import numpy as np

BLOCK_BYTES = 8 * 2**20
SQUEEZED = 0.08  # standard deviations by ranges below this; a million normal values have 0.10


@dataclasses.dataclass(frozen=True)
class SourceStatistics:
    """Figures of each feature over the source rows, with missing values replaced by the median.

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
    def of(cls, matrix: np.ndarray, rows: np.ndarray, medians: bool) -> "SourceStatistics":
        """Measure the rows `rows` of `matrix`, block by block, so that they are never copied as a whole.

        Args:
            matrix: float32 [all rows, features]; NaN is allowed with `medians` only.
            rows: row numbers.
            medians: also find the medians, which replace missing values.
        """
        width = matrix.shape[1]
        median = _medians(matrix, rows) if medians else np.zeros(width, np.float32)
        low, high = np.full(width, np.inf, np.float32), np.full(width, -np.inf, np.float32)
        total = np.zeros(width)
        for block in _blocks(matrix, rows, median):
            np.minimum(low, block.min(axis=0), out=low)
            np.maximum(high, block.max(axis=0), out=high)
            total += block.sum(axis=0, dtype=np.float64)
        mean = total / len(rows)
        squares = np.zeros(width)
        for block in _blocks(matrix, rows, median):
            squares += np.square(block - mean).sum(axis=0)
        stddev = np.where(low == high, 0.0, np.sqrt(squares / len(rows)))
        return cls(low, high, mean.astype(np.float32), stddev.astype(np.float32), median)

    def offset_and_width(self, method: str) -> tuple[np.ndarray, np.ndarray]:
        """Give what `method` (`minmax`, `standard` or `none`) subtracts and divides by."""
        if method == "minmax":
            return self.low, self.high - self.low
        if method == "standard":
            return self.mean, self.stddev
        return np.zeros_like(self.low), np.ones_like(self.low)

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


def _blocks(matrix: np.ndarray, rows: np.ndarray, median: np.ndarray) -> Iterator[np.ndarray]:
    """Give the rows in blocks, missing values filled in."""
    size = max(BLOCK_BYTES // (4 * matrix.shape[1]), 1)
    for start in range(0, len(rows), size):
        block = matrix[rows[start : start + size]]
        missing = np.isnan(block)
        yield np.where(missing, median, block) if missing.any() else block


def _medians(matrix: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Find the medians a few columns at a time; NaN for a feature without a value."""
    size = max(BLOCK_BYTES // (4 * max(len(rows), 1)), 1)
    found = []
    for start in range(0, matrix.shape[1], size):
        columns = np.sort(matrix[rows, start : start + size], axis=0)  # NaN last
        count = (~np.isnan(columns)).sum(axis=0)
        middle = np.stack([(count - 1) // 2, count // 2]).clip(0)
        found.append(np.take_along_axis(columns, middle, axis=0).mean(axis=0))
    return np.concatenate(found).astype(np.float32)
