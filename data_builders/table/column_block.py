"""A few rows of a table, column by column, as every kind of file gives them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from data_builders.table.cells import numbers, texts
from tffs.errors import UserError, one_line

BLOCK_BYTES = 64 * 2**20
MOST_COLUMNS = 1_000_000
LONGEST_SHOWN = 60


class TextCells(NamedTuple):
    """Cells of a feature that hold text where a number should be.

    Attributes:
        feature: which feature.
        rows: their rows in the block, int64, in order.
        value: what the first one holds, cut if it is long.
    """

    feature: int
    rows: np.ndarray
    value: str


class ColumnBlock(NamedTuple):
    """Consecutive rows of one file.

    Attributes:
        x: float64 [features, rows]; NaN where a value is missing or is text.
        text: the cells that are text.
        task: the rows' tasks, or None where the file is one task.
        label: the rows' labels, or None.
        raw: the columns that were asked for as they are in the file; a CSV has text, null where it is empty.
    """

    x: np.ndarray
    text: list[TextCells]
    task: pa.Array | None
    label: pa.Array | None
    raw: Sequence[pa.Array] = ()


class RowRange(NamedTuple):
    """Rows of a file that can be read without what stands before them.

    Attributes:
        first_row: the number of the first one in the file, counted from 1.
        start: the first row group of a Parquet file; other files are one range.
        stop: the row group after the last.
    """

    first_row: int
    start: int
    stop: int


WHOLE_FILE = RowRange(1, 0, 1)


class TableFile(Protocol):
    """One file of a table.

    Attributes:
        header: the names of all columns.
        problems: what was found wrong with its layout while it was read, one sentence each.
    """

    header: tuple[str, ...]
    problems: list[str]

    def row_ranges(self) -> list[RowRange]:
        """Give the parts that can be read by themselves, in the order of their rows."""
        ...

    def blocks(
        self,
        features: Sequence[int],
        task: int | None,
        label: int | None,
        row_range: RowRange,
        raw: Sequence[int] = (),
    ) -> Iterator[ColumnBlock]:
        """Read the columns at the given positions, block by block; a position may also be in `raw`."""
        ...

    def done(self) -> float:
        """Give the share of the file that was read so far."""
        ...


def check_columns(path: str, columns: int) -> None:
    """Refuse a file with more columns than can be told apart by name without filling the memory."""
    if columns > MOST_COLUMNS:
        raise UserError(
            f"{path} has {columns} columns, and at most {MOST_COLUMNS} can be read: are rows and columns "
            "swapped?"
        )


def rows_a_block(columns: int) -> int:
    """Give how many rows of float64 make a block."""
    return max(BLOCK_BYTES // (8 * max(columns, 1)), 1)


def block_of(
    features: Sequence[pa.Array],
    task: pa.Array | None,
    label: pa.Array | None,
    rows: int,
    decimal_comma: bool = False,
    raw: Sequence[pa.Array] = (),
) -> ColumnBlock:
    """Make a block of Arrow columns; for `decimal_comma` see `numbers`."""
    x = np.empty((len(features), rows))
    text = []
    for feature, column in enumerate(features):
        x[feature], wrong = numbers(column, decimal_comma)
        if wrong is not None:
            where = np.flatnonzero(wrong)
            text.append(TextCells(feature, where, _shown(column[int(where[0])])))
    return ColumnBlock(
        x, text, None if task is None else texts(task), None if label is None else texts(label), raw
    )


def _shown(cell: pa.Scalar) -> str:
    try:
        value = one_line(str(cell.as_py()))
    except (OverflowError, ValueError):  # a date beyond Python's, for one
        return f"a {cell.type}"
    return value if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]}..."
