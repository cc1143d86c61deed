"""Rows that stay on the disk and are read by their numbers, in place of a matrix that holds them all."""

import dataclasses
import os
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from tffs.data.records import FOOT, HEAD, Records
from tffs.data.scale import Scale
from tffs.data.sums import Passes
from tffs.errors import UserError

GAP_BYTES = 4096  # reading through so many bytes costs less than another call


@dataclasses.dataclass(frozen=True)
class StoredRows:
    """All rows of a dataset, read as they are asked for, with the indexing of a matrix by row numbers.

    It holds 8 bytes a row, where the row is, and 8 more where rows were left out.

    Attributes:
        records: the prepared files.
        bounds: int64 [records + 1], where each record begins if the files are laid one behind the other.
        kept: int64 [rows], the record of each row; None for all of them.
        scale: from raw to scaled units; None for raw units.
        states: size and times of change of each file when its bounds were found.
        passes: computes sums over all rows elsewhere; None where they are read here.
    """

    records: Records
    bounds: np.ndarray
    kept: np.ndarray | None
    scale: Scale | None
    states: tuple[tuple[int, ...], ...]
    passes: Passes | None = None

    @classmethod
    def of(
        cls, records: Records, sizes: np.ndarray, kept: np.ndarray | None, states: tuple[tuple[int, ...], ...]
    ) -> "StoredRows":
        """Find where each record is.

        Args:
            records: the prepared files.
            sizes: int64 [records], the bytes that each takes in its file.
            kept: int64 [rows], the record of each row; None for all of them.
            states: of the files before the sizes were read, see `states_of`.
        """
        bounds = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes, out=bounds[1:])
        return cls(records, bounds, kept, None, states)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and features."""
        return (len(self.bounds) - 1 if self.kept is None else len(self.kept)), self.records.width

    def __len__(self) -> int:
        return self.shape[0]

    def scaled(self, scale: Scale) -> "StoredRows":
        """Give the same rows in scaled units."""
        return dataclasses.replace(self, scale=scale, passes=self.passes and self.passes.scaled(scale))

    def __getitem__(self, rows: np.ndarray) -> np.ndarray:
        """Read rows; what keeps them from being read raises `UserError`.

        Args:
            rows: int [...], row numbers in any order; a row that is asked for twice is read once.

        Returns:
            float32 [..., features].
        """
        wanted = rows if self.kept is None else self.kept[rows]
        found, places = np.unique(wanted, return_inverse=True)
        x = np.empty((len(found), self.records.width), np.float32)
        step = self.records.block_rows
        for start in range(0, len(found), step):
            x[start : start + step] = self._read(found[start : start + step])
        if wanted.ndim == 1 and len(found) == len(wanted) and np.array_equal(found, wanted):
            return x
        return x[places.reshape(wanted.shape)]

    def _read(self, numbers: np.ndarray) -> np.ndarray:
        """Read a block of records, by their sorted numbers."""
        try:
            found: list[bytes] = []
            for path, state, first, chosen in self._by_file(numbers):
                begin = self.bounds[first]
                found += _records(path, state, self.bounds[chosen] - begin, self.bounds[chosen + 1] - begin)
            with tf.device("CPU:0"):
                x = self.records.parse(tf.constant(found))["x"].numpy()
                return x if self.scale is None else self.scale(x)
        except (OSError, EOFError, tf.errors.OpError) as error:
            raise self.records.unreadable(error) from error

    def _by_file(self, numbers: np.ndarray) -> Iterator[tuple[str, tuple[int, ...], int, np.ndarray]]:
        """Give the files that hold some records, each with its first record's number and the chosen ones."""
        firsts = np.concatenate([[0], np.cumsum(self.records.lengths)])
        file = np.searchsorted(firsts, numbers, "right") - 1
        for one, begin in zip(*np.unique(file, return_index=True), strict=True):
            chosen = numbers[begin : begin + np.count_nonzero(file == one)]
            yield self.records.paths[one], self.states[one], int(firsts[one]), chosen


Rows = np.ndarray | StoredRows  # a matrix of rows that are read by their numbers


def states_of(records: Records) -> tuple[tuple[int, ...], ...]:
    """Note by what a change of the prepared files is known."""
    try:
        return tuple(_state(os.stat(path)) for path in records.paths)
    except OSError as error:
        raise records.unreadable(error) from error


def check_unchanged(records: Records, states: tuple[tuple[int, ...], ...]) -> None:
    """Refuse files that are no longer as they were when their states were noted."""
    for path, before, now in zip(records.paths, states, states_of(records), strict=True):
        if now != before:
            raise _changed(path)


def _changed(path: str) -> UserError:
    return UserError(
        f"{path} was changed while rows were read from it: leave prepared files alone, and give the command "
        "again; training goes on from what is saved."
    )


def _state(stat: os.stat_result) -> tuple[int, ...]:
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _records(path: str, state: tuple[int, ...], start: np.ndarray, stop: np.ndarray) -> list[bytes]:
    """Read records of one file, by their sorted bounds in it; neighbours are read together."""
    breaks = np.flatnonzero(start[1:] - stop[:-1] > GAP_BYTES) + 1
    begins, ends = start.tolist(), stop.tolist()
    found = []
    file = os.open(path, os.O_RDONLY)
    try:
        if _state(os.fstat(file)) != state:
            raise _changed(path)
        for first, last in zip([0, *breaks.tolist()], [*breaks.tolist(), len(begins)], strict=True):
            offset, end = begins[first], ends[last - 1]
            span = os.pread(file, end - offset, offset)
            if len(span) != end - offset:
                raise EOFError
            found += [
                span[begins[row] - offset + HEAD : ends[row] - offset - FOOT] for row in range(first, last)
            ]
    finally:
        os.close(file)
    return found
