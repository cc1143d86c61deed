"""Rows of a table that can be read by themselves, and what is read of them."""

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from data_builders.table.column_block import ColumnBlock, RowRange, TableFile
from data_builders.table.columns import Parts
from tffs.errors import UserError, one_line

LONGEST_NAME = 1000


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
        """Read the rows of this unit from its file, opened; a name that is too long raises `UserError`."""
        task = self.columns.task if self.task is None else None
        row = self.row_range.first_row
        for block in file.blocks(self.columns.features, task, self.columns.label, self.row_range):
            self._check_names("task", block.task, row)
            self._check_names("label", block.label, row)
            yield Piece(block, row, self.file, self.task, self.file_number)
            row += block.x.shape[1]

    def _check_names(self, what: str, names: pa.Array | None, first_row: int) -> None:
        if names is None:
            return
        long = pc.greater(pc.utf8_length(names), LONGEST_NAME)
        if pc.any(long).as_py():
            row = pc.index(long, True).as_py()
            name = names[row].as_py()
            raise UserError(
                f"{self.path} has a name of {len(name)} characters for the {what} of row {first_row + row}, "
                f"'{one_line(name[:20])}...', but at most {LONGEST_NAME} can be used: is that the right column?"
            )
