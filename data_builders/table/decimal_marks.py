"""Find numbers whose point or comma may separate thousands, in files where either may be the decimal mark."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tffs.errors import one_line

_MARKS = {",": "comma", ".": "point"}


class DecimalMarks:
    """Gathers which marks the numbers of a file have.

    `1.000` is a thousand where commas are decimal, and one where points are; `1,000` is the reverse. Either is
    taken for one only in a file whose other numbers show that: some have the same mark where it cannot separate
    thousands, none has the other mark so.
    """

    def __init__(self) -> None:
        self._decimal: set[str] = set()
        self._doubtful: dict[str, tuple[str, int, str]] = {}  # by its mark: a cell, its row and its column

    def add(self, columns: Sequence[pa.Array], names: Sequence[str], first_row: int) -> None:
        """Take in some rows.

        Args:
            columns: cells of text, one array a feature.
            names: of the features.
            first_row: the number of their first row.
        """
        for column, name in zip(columns, names, strict=True):
            for mark in _MARKS:
                if not _any(pc.match_substring(column, mark)):
                    continue
                if mark not in self._decimal and has_decimals(column, mark):
                    self._decimal.add(mark)
                doubtful = _thousands(column, mark)
                if mark not in self._doubtful and _any(doubtful):
                    row = int(np.flatnonzero(np.asarray(doubtful.fill_null(False)))[0])
                    self._doubtful[mark] = one_line(column[row].as_py()), first_row + row, one_line(name)

    def problem(self, file: str) -> str | None:
        """Say which cell of the file may be a thousand times what it looks like, if one may."""
        for mark, (cell, row, column) in self._doubtful.items():
            if self._decimal == {mark}:
                continue
            why, advice = (
                "no number shows which mark is decimal",
                "separate cells by commas, and use decimal points",
            )
            if self._decimal:
                other = next(name for one, name in _MARKS.items() if one != mark)
                why, advice = f"other numbers have decimal {other}s", "write all decimals with the same mark"
            return (
                f"the {_MARKS[mark]} of '{cell}' (row {row} of {file}, column '{column}') may separate "
                f"thousands, because {why}: write whole numbers without {_MARKS[mark]}s, and {advice}."
            )
        return None


def has_decimals(column: pa.Array, mark: str) -> bool:
    """Tell whether cells have a mark that can only be decimal."""
    number = rf"^\s*[+-]?(\d+[{mark}]\d*|[{mark}]\d+)([eE][+-]?\d+)?\s*$"
    return _any(pc.and_(pc.match_substring_regex(column, number), pc.invert(_thousands(column, mark))))


def _thousands(column: pa.Array, mark: str) -> pa.Array:
    return pc.match_substring_regex(column, rf"^\s*[+-]?[1-9]\d{{0,2}}[{mark}]\d{{3}}\s*$")


def _any(mask: pa.Array) -> bool:
    return bool(pc.any(mask).as_py())
