"""Read rows of which some features were measured, with all else that the file says of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from data_builders.table.cells import as_text
from data_builders.table.column_block import ColumnBlock
from data_builders.table.columns import named
from data_builders.table.opening import open_file
from tffs.errors import UserError, listed, reason, why_not_finite

# What any program reads as the same number; anything else, a decimal comma for example, is written anew.
_PLAIN_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
MOST_CELLS = 2**21  # of one part, with all features of the model


class Part(NamedTuple):
    """Consecutive rows of the file.

    Attributes:
        kept: the columns that are no features, as text; null where a cell is empty.
        values: one column for each measured feature, float64; NaN where a row lacks it.
        written: the same as text, as it is in the file.
    """

    kept: list[pa.Array]
    values: pd.DataFrame
    written: dict[str, pa.Array]


class ValuesFile:
    """A CSV (also .gz), Parquet or .npz file that has some of the model's features as columns, by name.

    It is read once when it is made, so that what is wrong with it is known before anything is computed.

    Args:
        path: the file.
        feature_names: all features of the model.

    Attributes:
        kept: the names of its columns that are no features.
        measured: the names of its columns that are.
        rows: how many it has.
    """

    def __init__(self, path: str, feature_names: Sequence[str]) -> None:
        self._path = path
        self._rows_a_part = max(MOST_CELLS // len(feature_names), 1)
        try:
            if path.endswith(".npy"):
                raise UserError(
                    f"--values={path} has no names for its columns: save it as .npz, with x and feature_names, "
                    "or as CSV."
                )
            self._file = open_file(path)
            self._header = named(self._file.header)
            self._check_header(feature_names)
            self.rows = self._check_cells()
        except FileNotFoundError as error:
            raise UserError(
                f"--values={path} is not there: give the path of a CSV, Parquet or .npz file."
            ) from error
        except OSError as error:
            raise UserError(f"--values={path} cannot be read ({reason(error)}).") from error

    def _check_header(self, feature_names: Sequence[str]) -> None:
        known = set(feature_names)
        twice = [name for name, count in Counter(self._header).items() if count > 1]
        if twice:
            raise UserError(
                f"--values={self._path} has the column {listed(twice)} more than once: keep one of them."
            )
        self.measured = tuple(name for name in self._header if name in known)
        self.kept = tuple(name for name in self._header if name not in known)
        if not self.measured:
            raise UserError(
                f"--values={self._path} has none of the model's features as a column, which are "
                f"{listed(list(feature_names))}, but {listed(self.kept)}; the first line of a CSV names the "
                "columns."
            )

    def _check_cells(self) -> int:
        """Refuse what is no finite number, and count the rows."""
        rows = 0
        for block in self._blocks():
            if block.text:
                cell = block.text[0]
                raise UserError(
                    f"--values={self._path}, row {rows + cell.rows[0] + 1}, column "
                    f"'{self.measured[cell.feature]}': expected a number or an empty cell, but found "
                    f"'{cell.value}'."
                )
            with np.errstate(over="ignore"):
                infinite = np.argwhere(np.isinf(block.x.astype(np.float32)))
            if len(infinite):
                feature, row = infinite[0]
                raise UserError(
                    f"--values={self._path} must hold finite numbers, but row {rows + row + 1}, column "
                    f"'{self.measured[feature]}' {why_not_finite(np.inf)}."
                )
            rows += block.x.shape[1]
        if self._file.problems:
            raise UserError(f"--values={self._path}: {self._file.problems[0]}")
        if not rows:
            raise UserError(f"--values={self._path} has no rows: give those that were measured.")
        return rows

    def parts(self) -> Iterator[Part]:
        """Read the rows, as many at a time as are good to compute."""
        kept = [self._header.index(name) for name in self.kept]
        measured = [self._header.index(name) for name in self.measured]
        for block in self._blocks([*kept, *measured]):
            texts = [
                self._text(column, name)
                for column, name in zip(block.raw, (*self.kept, *self.measured), strict=True)
            ]
            written = [as_written(text, x) for text, x in zip(texts[len(kept) :], block.x, strict=True)]
            for start in range(0, block.x.shape[1], self._rows_a_part):
                rows = slice(start, start + self._rows_a_part)
                yield Part(
                    [text[rows] for text in texts[: len(kept)]],
                    pd.DataFrame(block.x[:, rows].T, columns=list(self.measured)),
                    {name: text[rows] for name, text in zip(self.measured, written, strict=True)},
                )

    def _blocks(self, raw: Sequence[int] = ()) -> Iterator[ColumnBlock]:
        features = [self._header.index(name) for name in self.measured]
        for rows in self._file.row_ranges():
            yield from self._file.blocks(features, None, None, rows, raw)

    def _text(self, column: pa.Array, name: str) -> pa.Array:
        try:
            return as_text(column)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise UserError(
                f"--values={self._path} must hold numbers or text in UTF-8, but the column '{name}' holds "
                f"{column.type}: leave it out."
            ) from error


def as_written(text: pa.Array, x: np.ndarray) -> pa.Array:
    """Give the text of numbers: as it is in the file if that is a plain number, else the number itself.

    Args:
        text: what is in the file.
        x: the numbers, NaN where there is none, which becomes null.
    """
    text = pc.utf8_trim_whitespace(text)
    plain = pc.fill_null(pc.match_substring_regex(text, _PLAIN_NUMBER), False)
    return pc.if_else(plain, text, pa.array(x, from_pandas=True).cast(pa.string()))
