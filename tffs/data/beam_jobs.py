"""What the workers of a Beam pipeline do for sums over rows; importing this needs apache-beam."""

import dataclasses
import os
import pickle
import types
from collections.abc import Iterable, Iterator

import apache_beam as beam
import numpy as np

from tffs.data.beam_shards import OverShards, Prepared, Shard, leaving, reporting
from tffs.data.scale import Scale
from tffs.data.sums import RowSums, add_by_task

PIECE = 2**20  # numbers that travel as one element

Key = tuple[int, str, int]  # the job's number, the array's name, and which piece of it
Value = tuple[str, np.ndarray]  # the ufunc's name, and the piece


@dataclasses.dataclass(frozen=True)
class Job:
    """What is summed, without the rows it is over.

    Attributes:
        what: what is summed.
        dtype: of the blocks.
        by_task: whether the rows of each task are summed, too.
        about_means: whether the task's mean is subtracted from a row.
    """

    what: RowSums
    dtype: str
    by_task: bool
    about_means: bool


@dataclasses.dataclass(frozen=True)
class Jobs:
    """All that is summed in a pass.

    Attributes:
        jobs: what.
        scale: from raw to scaled units; None for raw units.
        records: int64 [tasks + 1], the first record of each task of the table.
        places: for each job int32 [tasks], the place of each task of the table among the job's; -1 for others.
        means: for each job [job's tasks, features], or None.
    """

    jobs: tuple[Job, ...]
    scale: Scale | None
    records: np.ndarray
    places: list[np.ndarray]
    means: list[np.ndarray | None]

    def told_apart_by(self) -> Iterator[bytes]:
        """Give what another pass over the same table differs in."""
        yield pickle.dumps((self.scale, self.jobs))
        for array in (*self.places, *self.means):
            if array is not None:
                yield array.tobytes()

    def write(self, folder: str) -> None:
        """Write everything where workers read it."""
        with open(_pickle_path(folder), "wb") as file:
            pickle.dump((self.scale, self.jobs), file)
        _save(_path(folder, "records"), self.records)
        for number, (places, means) in enumerate(zip(self.places, self.means, strict=True)):
            _save(_path(folder, f"places-{number}"), places)
            if means is not None:
                _save(_path(folder, f"means-{number}"), means)

    def by_task_of(self, number: int, shards: Iterable[Shard]) -> Iterator[Shard]:
        """Give the shards for which workers leave the sums of a job's tasks."""
        for shard in shards:
            if (self.places[number][tasks_of(shard, self.records)] >= 0).any():
                yield shard

    @staticmethod
    def read(folder: str) -> tuple[Scale | None, tuple[Job, ...]]:
        """Read the scale and the jobs."""
        with open(_pickle_path(folder), "rb") as file:
            found: tuple[Scale | None, tuple[Job, ...]] = pickle.load(file)
        return found


def pieces_of(array: np.ndarray) -> Iterator[np.ndarray]:
    """Give views of an array's numbers, a piece at a time."""
    flat = array.reshape(-1)
    for start in range(0, len(flat), PIECE):
        yield flat[start : start + PIECE]


def piece_path(out: str, key: Key) -> str:
    """Give the file of a merged piece."""
    return os.path.join(out, "{}-{}-{}.npy".format(*key))


def by_task_path(out: str, job: int, shard: int) -> str:
    """Give the file of the sums of a shard's tasks."""
    return os.path.join(out, f"{job}-tasks-{shard}.npz")


def write_piece(merged: tuple[Key, Value], out: str, error: str) -> None:
    """Write a merged piece; `error` is the path of the sentence if that fails."""
    key, (_, piece) = merged
    with reporting(error), leaving(piece_path(out, key)) as path:
        _save(path, piece)


def tasks_of(shard: Shard, records: np.ndarray) -> slice:
    """Give the tasks of the table that have records in a shard."""
    first = int(np.searchsorted(records, shard.first, "right")) - 1
    return slice(first, int(np.searchsorted(records, shard.first + shard.length - 1, "right")))


def _save(path: str, array: np.ndarray) -> None:
    """Write an array; by itself, `np.save` does not notice that the end of a file does not fit on the disk."""
    with open(path, "wb") as file:
        np.save(types.SimpleNamespace(write=file.write), array)


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, f"{name}.npy")


def _pickle_path(folder: str) -> str:
    return os.path.join(folder, "jobs.pickle")


def _mapped(folder: str, name: str) -> np.ndarray:
    """Map an array; only what is looked at is read."""
    found: np.ndarray = np.load(_path(folder, name), mmap_mode="r")
    return found


class SumShard(OverShards):
    """Gives the sums over the rows of a shard."""

    def __init__(self, prepared: Prepared, error: str, folder: str, out: str) -> None:
        super().__init__(prepared, error)
        self._folder, self._out = folder, out

    def of_shard(self, shard: Shard) -> Iterator[tuple[Key, Value]]:
        """Read the shard once for all jobs; their sums leave in pieces."""
        folder = self._folder
        scale, jobs = Jobs.read(folder)
        records = _mapped(folder, "records")
        here = tasks_of(shard, records)
        parts = []
        for number, job in enumerate(jobs):
            places = np.array(_mapped(folder, f"places-{number}")[here])
            if (places >= 0).any():
                parts.append(_Sum(number, job, places, self.prepared.width))
        means = {part.number: _mapped(folder, f"means-{part.number}") for part in parts if part.job.about_means}
        for block, kept in self.prepared.blocks(shard):
            numbers = shard.first + block.first + np.flatnonzero(kept)
            tasks = np.searchsorted(records[here.start : here.stop + 1], numbers, "right") - 1
            rows = block.x[kept]
            rows = rows if scale is None else scale(rows)
            for part in parts:
                part.add(rows, tasks, means.get(part.number))
        for part in parts:
            part.write_by_task(self._out, shard.number)
            yield from part.pieces()


class _Sum:
    """A job's sums over the rows of a shard.

    Args:
        number: of the job.
        job: what is summed.
        places: int32 [tasks of the shard], the place of each among the job's; -1 for others.
        width: the number of features.
    """

    def __init__(self, number: int, job: Job, places: np.ndarray, width: int) -> None:
        self.number, self.job = number, job
        self._places = places
        self._sums = job.what.zeros()
        own = places >= 0
        self._of_tasks = np.cumsum(own) - 1
        self._by_task = np.zeros((np.count_nonzero(own) if job.by_task else 0, width))

    def add(self, rows: np.ndarray, tasks: np.ndarray, means: np.ndarray | None) -> None:
        """Add rows [rows, features] of tasks of the shard, int [rows]."""
        places = self._places[tasks]
        here = places >= 0
        if not here.any():
            return
        block = rows[here].astype(self.job.dtype)
        if means is not None:
            block -= means[places[here]].astype(self.job.dtype)
        if self.job.by_task:
            add_by_task(self._by_task, block, self._of_tasks[tasks[here]])
        self.job.what.add(self._sums, block)

    def write_by_task(self, out: str, shard: int) -> None:
        """Write the sums of tasks, if they are wanted."""
        if self.job.by_task:
            with leaving(by_task_path(out, self.number, shard)) as path:
                np.savez(path, places=self._places[self._places >= 0], sums=self._by_task)

    def pieces(self) -> Iterator[tuple[Key, Value]]:
        """Give the other sums in pieces."""
        for name, array in self._sums.items():
            for piece, part in enumerate(pieces_of(array)):
                yield (self.number, name, piece), (self.job.what.merged[name].__name__, part)


class Merge(beam.CombineFn):
    """Makes one of the same piece of several sums."""

    def create_accumulator(self) -> Value | None:
        """Begin with nothing."""
        return None

    def add_input(self, total: Value | None, value: Value) -> Value:
        """Take in a piece, in place."""
        if total is None:
            return value[0], value[1].copy()
        getattr(np, value[0])(total[1], value[1], out=total[1])
        return total

    def merge_accumulators(self, totals: Iterable[Value | None]) -> Value | None:
        """Take in what others have merged."""
        merged = None
        for total in totals:
            if total is not None:
                merged = self.add_input(merged, total)
        return merged

    def extract_output(self, total: Value | None) -> Value | None:
        """Give the merged piece."""
        return total
