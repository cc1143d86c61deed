"""The rows of a table, spooled by one process to a scratch file and written in the order of their tasks."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from data_builders.table.local_surveyor import LocalSurveyor
from data_builders.table.row_examples import rows_a_batch, serialize
from data_builders.table.table import Table


@contextlib.contextmanager
def spooled_rows(table: Table, folder: str, show: Callable[[str, float], None]) -> Iterator["SpooledRows"]:
    """Read a table into a scratch file in `folder`, which has no name, so that nothing is left of it."""
    with tempfile.TemporaryFile(dir=folder) as scratch:
        yield SpooledRows(table, scratch, show)


class SpooledRows:
    """The rows of a table in a scratch file, in the order in which they were read.

    Args:
        table: opened.
        scratch: the file, empty.
        show: is called with what is being done and the share of it that is done.

    Attributes:
        survey: what they hold.
        class_names: sorted.
    """

    def __init__(self, table: Table, scratch: Any, show: Callable[[str, float], None]) -> None:
        self._show = show
        surveyor = LocalSurveyor(table.feature_names)
        tasks, labels, numbers = [], [], []
        for piece in table.pieces(lambda share: self._show("reading", share)):
            codes, classes = surveyor.add(piece)
            tasks.append(codes)
            if classes is not None:
                labels.append(classes)
            numbers.append(np.arange(piece.first_row, piece.first_row + len(codes)))
            with np.errstate(over="ignore"):  # the survey finds what is beyond 32 bits
                scratch.write(np.ascontiguousarray(piece.block.x.T, np.float32))
        scratch.flush()
        self.survey = surveyor.whole_survey()
        self._numbers = np.concatenate(numbers) if numbers else np.zeros(0, np.int64)
        by_code = surveyor.tasks.sorted_codes()
        self._tasks = _ranks(np.concatenate(tasks) if tasks else np.zeros(0, np.int64), by_code)
        self.class_names = surveyor.labels.sorted_names()
        self._labels = _ranks(np.concatenate(labels), surveyor.labels.sorted_codes()) if labels else None
        order = np.argsort(self._tasks, kind="stable")
        self._order = order[np.searchsorted(self._tasks[order], 0) :]  # rows without a task are dropped
        if surveyor.rows:
            shape = (surveyor.rows, len(table.feature_names))
            self._x = np.memmap(scratch, np.float32, "r", shape=shape)

    def write(self, paths: list[str], lengths: list[int]) -> int:
        """Write the rows, sorted by task, to the shards; returns the bytes written."""
        written = start = 0
        for path, length in zip(paths, lengths, strict=True):
            with tf.io.TFRecordWriter(path) as writer:
                for record in self._records(start, start + length):
                    writer.write(record)
                    written += len(record)
            start += length
        return written

    def _records(self, start: int, stop: int) -> Iterator[bytes]:
        names = self.survey.task_names
        step = rows_a_batch(len(self.survey.feature_names))
        for first in range(start, stop, step):
            rows = self._order[first : min(first + step, stop)]
            yield from serialize(
                self._x[rows],
                None if self._labels is None else self._labels[rows],
                [names[task] for task in self._tasks[rows]],
                [str(number) for number in self._numbers[rows]],
            )
            self._show("writing", (first + len(rows)) / len(self._order))


def _ranks(codes: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Replace codes by their places in `order`; -1 stays."""
    rank = np.full(len(order) + 1, -1, np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes]
