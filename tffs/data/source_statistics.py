"""What the source tasks' rows look like, feature by feature: all that scaling may learn from."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tffs.data.medians import column_medians
from tffs.data.sums import Arrays, RowSums, Wanted, passes_of, summed, sums_of
from tffs.data.tasks import TaskRows

if TYPE_CHECKING:  # it imports TensorFlow
    from tffs.data.stored_rows import Rows

BLOCK_BYTES = 8 * 2**20
PASSES = 2  # over the rows; medians take more
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

        def over_rows(what: RowSums) -> Arrays:
            if passes_of(matrix) is None:
                return sums_of(lambda: _blocks(matrix, rows), what)
            all_rows = TaskRows.from_lists(("all",), [rows])
            return summed(matrix, [Wanted(what, all_rows, np.zeros(1, int), dtype=np.float32)])[0]

        width = matrix.shape[1]
        median = column_medians(over_rows, width) if medians else np.zeros(width, np.float32)
        found = over_rows(_Ranges(median))
        low, high, mean = found["low"], found["high"], found["total"] / len(rows)
        squares = over_rows(_Squares(mean, median))["squares"]
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
    about = _Squares(total / len(rows), np.zeros(matrix.shape[1], np.float32))
    return sums_of(lambda: _blocks(matrix, rows), about)["squares"] / len(rows)


@dataclasses.dataclass(frozen=True)
class _Ranges:
    """The least and the greatest value of each feature, and the sum of all."""

    median: np.ndarray
    merged: ClassVar[Mapping[str, np.ufunc]] = {"low": np.minimum, "high": np.maximum, "total": np.add}

    def zeros(self) -> Arrays:
        width = len(self.median)
        low, high = np.full(width, np.inf, np.float32), np.full(width, -np.inf, np.float32)
        return {"low": low, "high": high, "total": np.zeros(width)}

    def add(self, sums: Arrays, block: np.ndarray) -> None:
        block = _filled(block, self.median)
        np.minimum(sums["low"], block.min(axis=0), out=sums["low"])
        np.maximum(sums["high"], block.max(axis=0), out=sums["high"])
        sums["total"] += block.sum(axis=0, dtype=np.float64)


@dataclasses.dataclass(frozen=True)
class _Squares:
    """The sum of squares of each feature about its mean."""

    mean: np.ndarray
    median: np.ndarray
    merged: ClassVar[Mapping[str, np.ufunc]] = {"squares": np.add}

    def zeros(self) -> Arrays:
        return {"squares": np.zeros(len(self.mean))}

    def add(self, sums: Arrays, block: np.ndarray) -> None:
        sums["squares"] += np.square(_filled(block, self.median) - self.mean).sum(axis=0)


def _blocks(matrix: "Rows", rows: np.ndarray) -> Iterator[np.ndarray]:
    size = max(BLOCK_BYTES // (4 * matrix.shape[1]), 1)
    for start in range(0, len(rows), size):
        yield matrix[rows[start : start + size]]


def _filled(block: np.ndarray, median: np.ndarray) -> np.ndarray:
    """Fill in missing values."""
    missing = np.isnan(block)
    return np.where(missing, median, block) if missing.any() else block
