"""Scaling in NumPy: what workers and rows on the disk are scaled with, without Keras."""

from typing import Any, NamedTuple

import numpy as np


def scaled(values: Any, offset: Any, factor: Any) -> Any:
    """Scale values as (x - offset) * factor: the one definition, for arrays, tensors and pipelines."""
    return (values - offset) * factor


class Scale(NamedTuple):
    """What a `Scaling` layer has learned; gives the same numbers as the layer.

    Attributes:
        offset: float32 [features].
        factor: float32 [features].
        median: float32 [features], what replaces NaN; None where nothing does.
    """

    offset: np.ndarray
    factor: np.ndarray
    median: np.ndarray | None

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Scale rows [rows, features]."""
        if self.median is not None:
            rows = np.where(np.isnan(rows), self.median, rows)
        result: np.ndarray = scaled(rows, self.offset, self.factor)
        return result
