"""The names of tasks or classes, as they are met in a table."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data_builders.table.unit import Piece, Place
from tffs.errors import UserError

LONGEST_NAME = 1000


class Names:
    """Numbers names in the order in which they come.

    Args:
        what: they are names of, for a person.

    Attributes:
        names: the names so far; a name's code is its place here.
        unnamed: how many rows had no name.
        first_unnamed: where the first of them stands, or None.
    """

    def __init__(self, what: str) -> None:
        self._what = what
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
        """Give the codes of a column of names, -1 where it has none; one that is no name raises `UserError`."""
        encoded = column.dictionary_encode()
        self._check_lengths(encoded, piece)
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

    def _check_lengths(self, encoded: pa.DictionaryArray, piece: Piece) -> None:
        long = pc.greater(pc.utf8_length(encoded.dictionary), LONGEST_NAME)
        if pc.any(long).as_py():
            row = pc.index(pc.take(long, encoded.indices), True).as_py()
            name = encoded[row].as_py()
            raise UserError(
                f"The {self._what} in {piece.where(row)} has a name of {len(name)} characters, "
                f"'{name[:20]}...', but at most {LONGEST_NAME} can be used: is that the right column?"
            )

    def _note_unnamed(self, rows: int, first: Place) -> None:
        self.unnamed += rows
        self.first_unnamed = first if self.first_unnamed is None else min(first, self.first_unnamed)
