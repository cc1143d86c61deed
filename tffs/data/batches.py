"""How many rows to look at in one go."""

from collections.abc import Iterator

import numpy as np

from tffs.data.tasks import Tasks

BATCH_ROWS = 8192
BATCH_BYTES = 64 * 2**20


def batch_rows(num_features: int) -> int:
    """Give how many rows of so many features make a batch."""
    return int(np.clip(BATCH_BYTES // (4 * num_features), 1, BATCH_ROWS))


def batches(tasks: Tasks, rows: np.ndarray) -> Iterator[np.ndarray]:
    """Give rows by their numbers, [rows, features] at a time."""
    step = batch_rows(tasks.num_features)
    for start in range(0, len(rows), step):
        yield tasks.matrix[rows[start : start + step]]
