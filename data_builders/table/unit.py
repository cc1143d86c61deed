"""Rows of a table that can be read by themselves, and what is read of them."""

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

from data_builders.table.column_block import ColumnBlock, RowRange, TableFile
from data_builders.table.columns import Parts


class Place(NamedTuple):
    """Where a cell stands; of two places the lesser one comes first in the table.

    Attributes:
        order: the number of its file, and that of its row.
        text: the same for people.
    """

    order: tuple[int, int]
    text: str


class Piece(NamedTuple):
    """A block, where it stands and, in a folder, whose rows it holds.

    Attributes:
        block: the rows.
        first_row: the number of its first row in its file, counted from 1 after the header.
        file: the file's name in a folder, else empty.
        task: the task of all its rows in a folder, else None.
        file_number: the file's place in the folder.
    """

    block: ColumnBlock
    first_row: int
    file: str
    task: str | None
    file_number: int

    def where(self, row: int) -> str:
        """Say where row `row` of the block stands."""
        return f"row {self.first_row + row}" + (f" of {self.file}" if self.file else "")

    def place(self, row: int, what: str = "") -> Place:
        """Give the place of row `row` of the block, and what is there."""
        return Place(
            (self.file_number, self.first_row + row),
            f"{what} in {self.where(row)}" if what else self.where(row),
        )


@dataclasses.dataclass(frozen=True)
class Unit:
    """Rows of one file that can be read by themselves, by whoever has the file.

    Attributes:
        number: its place among the table's units.
        path: the file.
        file_number: the file's place in a folder.
        file: the file's name in a folder, else empty.
        task: the task of all its rows in a folder, else None.
        columns: which column of the file plays which part.
        row_range: which rows of the file.
    """

    number: int
    path: str
    file_number: int
    file: str
    task: str | None
    columns: Parts
    row_range: RowRange

    def pieces(self, file: TableFile) -> Iterator[Piece]:
        """Read the rows of this unit from its file, opened."""
        task = self.columns.task if self.task is None else None
        row = self.row_range.first_row
        for block in file.blocks(self.columns.features, task, self.columns.label, self.row_range):
            yield Piece(block, row, self.file, self.task, self.file_number)
            row += block.x.shape[1]
