"""Read a .npz file: `x` and `task`, with optional `y`, `task_names`, `class_names` and `feature_names`."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from data_builders.table.cells import texts
from data_builders.table.column_block import WHOLE_FILE, ColumnBlock, RowRange, check_columns, rows_a_block
from data_builders.table.npy_arrays import read_npz
from tffs.errors import UserError

TASK, LABEL = "task", "y"


class NpzFile:
    """An .npz file; its columns are the features and then `task` and `y` where it has them.

    Args:
        path: the file; keys that are not known are ignored, pickled objects are refused.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            arrays = read_npz(path, ("x", TASK, LABEL, "task_names", "class_names", "feature_names"))
        except (UserError, OSError):
            raise
        except Exception as error:  # zipfile, zlib and NumPy raise many kinds for a damaged file
            raise UserError(
                f"{path} cannot be read as a .npz file of plain arrays: it is damaged, something else, or "
                "holds Python objects, which are never loaded."
            ) from error
        x = arrays.get("x")
        if x is None or x.ndim != 2 or x.dtype.kind not in "fiub":
            found = "is not there" if x is None else f"is {x.dtype} {list(x.shape)}"
            raise UserError(f"{path} must hold numbers 'x' [rows, features], but 'x' {found}.")
        check_columns(path, x.shape[1])
        self.problems: list[str] = []
        default = np.asarray([f"x{i}" for i in range(x.shape[1])])
        names = self._texts("feature_names", arrays.get("feature_names", default))
        if len(names) != x.shape[1]:
            raise UserError(
                f"{path} must name its {x.shape[1]} features, but 'feature_names' has {len(names)}."
            )
        self._x = x
        self._named = {
            TASK: self._names(arrays, TASK, "task_names"),
            LABEL: self._names(arrays, LABEL, "class_names"),
        }
        self._row = 0
        self.header = (*names, *(name for name, values in self._named.items() if values is not None))

    @property
    def tasks(self) -> int:
        """How many different tasks its rows name."""
        return len(set(self._named[TASK] or ()))

    def _names(self, arrays: dict[str, Any], key: str, names_key: str) -> list[str] | None:
        """Give one text a row: the values of `key`, or the names they are numbers of; empty for none."""
        values = arrays.get(key)
        if values is None:
            return None
        if values.shape != (len(self._x),):
            raise UserError(
                f"{self._path} must hold '{key}' [{len(self._x)}], one a row, but its shape is "
                f"{list(values.shape)}."
            )
        if names_key not in arrays or values.dtype.kind not in "iu":
            return self._texts(key, values)
        names = self._texts(names_key, arrays[names_key])
        if len(values) and not 0 <= values.min() <= values.max() < len(names):
            raise UserError(
                f"{self._path} must hold numbers from 0 to {len(names) - 1} in '{key}', as it has "
                f"{len(names)} {names_key}, but has {values.min()} to {values.max()}."
            )
        return [names[value] for value in values]

    def _texts(self, key: str, values: np.ndarray) -> list[str]:
        """Give an array of names as text."""
        if values.ndim != 1 or values.dtype.kind not in "USiufb":
            raise UserError(
                f"{self._path} must hold names '{key}' in one row, but it is {values.dtype} "
                f"{list(values.shape)}."
            )
        if values.dtype.kind == "f":
            return ["" if np.isnan(value) else str(value) for value in values]
        try:
            if values.dtype.kind == "U":
                _check_characters(values)
            return [value.decode() if isinstance(value, bytes) else str(value) for value in values]
        except UnicodeError as error:
            raise UserError(f"{self._path} must hold names '{key}' in UTF-8, but it does not.") from error

    def row_ranges(self) -> list[RowRange]:
        """Give the whole file: its arrays are read at once."""
        return [WHOLE_FILE]

    def blocks(
        self,
        features: Sequence[int],
        task: int | None,
        label: int | None,
        row_range: RowRange,
        raw: Sequence[int] = (),
    ) -> Iterator[ColumnBlock]:
        """Read the columns at the given positions, block by block."""
        size = rows_a_block(len(features))

        def part(position: int | None) -> pa.Array | None:
            values = None if position is None else self._named[self.header[position]]
            return (
                None if values is None else texts(pa.array(values[self._row : self._row + size], pa.string()))
            )

        def as_it_is(position: int) -> pa.Array:
            rows = slice(self._row, self._row + size)
            if position < self._x.shape[1]:
                return pa.array(self._x[rows, position])
            return pa.array((self._named[self.header[position]] or [])[rows])

        every = tuple(features) == tuple(range(self._x.shape[1]))
        for start in range(0, len(self._x), size):
            self._row = start
            rows = self._x[self._row : self._row + size]
            x = (rows if every else rows[:, list(features)]).T.astype(np.float64)
            yield ColumnBlock(x, [], part(task), part(label), [as_it_is(position) for position in raw])

    def done(self) -> float:
        """Give the share of the file that was read so far."""
        return self._row / max(len(self._x), 1)


def _check_characters(values: np.ndarray) -> None:
    """Refuse numbers that are no characters, of which Python cannot make text, and halves of characters."""
    np.ascontiguousarray(values, values.dtype.newbyteorder("=")).tobytes().decode(
        "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
    )
