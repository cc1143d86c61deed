"""Find points that may separate thousands, in files where a comma may be the decimal mark."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

THOUSANDS = r"^\s*[+-]?[1-9]\d{0,2}(\.\d{3})+\s*$"
_COMMA = r"^\s*[+-]?\d*,\d+"
_POINT = r"^\s*[+-]?\d*\.\d*"


class DecimalMarks:
    """Gathers which marks the numbers of a file have.

    `1.000` is a thousand where commas are decimal, and one where points are. It is taken for one only in a
    file whose other numbers show that: some have a point that cannot separate thousands, none has a comma.
    """

    def __init__(self) -> None:
        self._comma = self._point = False
        self._doubtful: tuple[str, int, str] | None = None  # a cell, its row and its column

    def add(self, columns: Sequence[pa.Array], names: Sequence[str], first_row: int) -> None:
        """Take in some rows.

        Args:
            columns: cells of text, one array a feature.
            names: of the features.
            first_row: the number of their first row.
        """
        for column, name in zip(columns, names, strict=True):
            self._comma = self._comma or _any(pc.match_substring_regex(column, _COMMA))
            points = pc.match_substring(column, ".")
            if not _any(points):
                continue
            thousands = pc.match_substring_regex(column, THOUSANDS)
            if not self._point:
                decimal = pc.and_(pc.match_substring_regex(column, _POINT), pc.invert(thousands))
                self._point = _any(decimal)
            if self._doubtful is None and _any(thousands):
                row = int(np.flatnonzero(np.asarray(thousands.fill_null(False)))[0])
                self._doubtful = column[row].as_py().strip(), first_row + row, name

    def problem(self, file: str) -> str | None:
        """Say which cell of the file may be a thousand times what it looks like, if one may."""
        if self._doubtful is None or (self._point and not self._comma):
            return None
        why = "other numbers have decimal commas" if self._comma else "no number shows which mark is decimal"
        cell, row, column = self._doubtful
        return (
            f"the point of '{cell}' (row {row} of {file}, column '{column}') may separate thousands, because "
            f"{why}: write whole numbers without points, and all decimals with the same mark."
        )


def _any(mask: pa.Array) -> bool:
    return bool(pc.any(mask).as_py())
