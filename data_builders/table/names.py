"""The names of tasks or classes, as they are met in a table."""

import numpy as np
import pyarrow as pa

from data_builders.table.unit import Piece, Place


class Names:
    """Numbers names in the order in which they come.

    Attributes:
        names: the names so far; a name's code is its place here.
        unnamed: how many rows had no name.
        first_unnamed: where the first of them stands, or None.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.unnamed = 0
        self.first_unnamed: Place | None = None
        self._codes: dict[str, int] = {}

    def code(self, name: str) -> int:
        """Give the code of `name`, a new one if it is new."""
        if name not in self._codes:
            self._codes[name] = len(self.names)
            self.names.append(name)
        return self._codes[name]

    def codes(self, column: pa.Array, piece: Piece) -> np.ndarray:
        """Give the codes of a column of names, -1 where it has none."""
        encoded = column.dictionary_encode()
        table = np.asarray([*(self.code(name) for name in encoded.dictionary.to_pylist()), -1], np.int64)
        codes = table[encoded.indices.fill_null(len(table) - 1).to_numpy(zero_copy_only=False)]
        unnamed = np.flatnonzero(codes < 0)
        if len(unnamed):
            self._note_unnamed(len(unnamed), piece.place(int(unnamed[0])))
        return codes

    def merge(self, other: "Names") -> np.ndarray:
        """Take in the names of other rows; returns the codes that they have here, in the order of theirs."""
        if other.first_unnamed is not None:
            self._note_unnamed(other.unnamed, other.first_unnamed)
        return np.asarray([self.code(name) for name in other.names], np.int64)

    def sorted_codes(self) -> np.ndarray:
        """Give the codes in the order of the names: by value if all are whole numbers, else by text."""
        whole = all(name.isdecimal() for name in self.names)

        def key(code: int) -> tuple[int, str]:
            name = self.names[code]
            return (int(name) if whole else 0, name)

        return np.asarray(sorted(range(len(self.names)), key=key), np.int64)

    def sorted_names(self) -> list[str]:
        """Give the names in that order."""
        return [self.names[code] for code in self.sorted_codes()]

    def missing(self) -> tuple[int, str]:
        """Give how many rows had no name, and where the first of them stands."""
        return self.unnamed, self.first_unnamed.text if self.first_unnamed else ""

    def _note_unnamed(self, rows: int, first: Place) -> None:
        self.unnamed += rows
        self.first_unnamed = first if self.first_unnamed is None else min(first, self.first_unnamed)
