"""Sums over the rows of a prepared table, computed by the workers of a Beam pipeline.

`tffs.data.sums` says what is summed and why. A pass is one pipeline over the files of the table:

1. The main process writes what is wanted into a folder that all workers see: the `RowSums` themselves, which
   tasks' rows each is over, and the tasks' means.
2. A worker reads a file block by block, scales it, and adds it to all sums that are wanted. It holds a block
   and the sums. Means are read for the tasks of a block. Sums of tasks are written to a file of their own.
3. Sums leave a worker in pieces of 8 MB, and are merged piece by piece.
4. The main process reads the pieces, and adds up the sums of tasks that lie in several files.

What takes more than `WORKER_BYTES` of sums is computed in several passes. Importing this needs apache-beam.
"""

import dataclasses
import os
import pickle
from collections.abc import Iterable, Iterator, Sequence

import apache_beam as beam
import numpy as np

from tffs.data.beam_runner import BeamRunner, Scratch
from tffs.data.beam_shards import OverShards, Prepared, Shard
from tffs.data.scale import Scale
from tffs.data.sums import BY_TASK, Arrays, RowSums, Wanted, add_by_task
from tffs.data.tasks import TaskRows
from tffs.whole_file import replacing

WORKER_BYTES = 512 * 2**20  # of sums that a worker holds; it holds them twice while it hands them on
PIECE = 2**20  # numbers that travel as one element
LOOKED_UP = 2**22  # rows whose tasks are looked up at a time

Key = tuple[int, str, int]  # which of the wanted, the array's name, and which piece of it
Value = tuple[str, np.ndarray]  # the ufunc's name, and the piece


@dataclasses.dataclass(frozen=True)
class _Job:
    """A `Wanted` as workers know it; the tasks and their means are files beside it."""

    what: RowSums
    dtype: str
    by_task: bool
    about_means: bool


class BeamPasses:
    """Computes sums with Beam.

    Args:
        runner: runs pipelines over the table.
        records: int64 [tasks + 1], the first record of each task of the table.
        offsets: int64 [tasks + 1], the first row of each; some records may have been left out.
        scale: from raw to scaled units; None for raw units.
    """

    def __init__(
        self, runner: BeamRunner, records: np.ndarray, offsets: np.ndarray, scale: Scale | None = None
    ) -> None:
        self._runner, self._records, self._offsets, self._scale = runner, records, offsets, scale
        self._known: list[tuple[TaskRows, np.ndarray]] = []

    def scaled(self, scale: Scale) -> "BeamPasses":
        """Give sums over the same rows in scaled units."""
        return BeamPasses(self._runner, self._records, self._offsets, scale)

    def begin(self, doing: str, about: int) -> None:
        """Count the next passes from 1."""
        self._runner.begin(doing, about)

    def sums(self, wanted: Sequence[Wanted]) -> list[Arrays]:
        """Compute what is wanted, in as few passes as the memory of a worker allows."""
        found: list[Arrays] = []
        batch: list[Wanted] = []
        room = 0
        for one in wanted:
            size = sum(array.nbytes for array in one.what.zeros().values())
            if batch and size > room:
                found += self._pass(batch)
                batch = []
            room = (room if batch else WORKER_BYTES) - size
            batch.append(one)
        return found + (self._pass(batch) if batch else [])

    def _pass(self, wanted: Sequence[Wanted]) -> list[Arrays]:
        jobs = [_Job(one.what, np.dtype(one.dtype).name, one.by_task, one.means is not None) for one in wanted]
        places = [self._places(one) for one in wanted]
        means = [one.means for one in wanted]
        packed = pickle.dumps((self._scale, jobs))
        arrays = [np.ascontiguousarray(array) for array in (*places, *means) if array is not None]

        def build(shards: beam.PCollection, scratch: Scratch) -> None:
            with open(os.path.join(scratch.folder, "jobs.pickle"), "wb") as file:
                file.write(packed)
            scratch.save("records", self._records)
            for number, (place, mean) in enumerate(zip(places, means, strict=True)):
                scratch.save(f"places-{number}", place)
                if mean is not None:
                    scratch.save(f"means-{number}", mean)
            _ = (
                shards
                | "Sum"
                >> beam.ParDo(_SumShard(self._runner.prepared, scratch.error, scratch.folder, scratch.out))
                | "Merge" >> beam.CombinePerKey(_Merge())
                | "Write" >> beam.Map(_write, scratch.out)
            )

        out = self._runner.outcome([packed, *(array.tobytes() for array in arrays)], build)
        return [self._gathered(out, number, one) for number, one in enumerate(wanted)]

    def _gathered(self, out: str, number: int, wanted: Wanted) -> Arrays:
        """Put the sums together that the workers left; where a piece is missing there were no rows."""
        sums = wanted.what.zeros()
        for name, array in sums.items():
            flat = array.reshape(-1)
            for piece in range(-(-len(flat) // PIECE)):
                path = _piece_path(out, (number, name, piece))
                if os.path.exists(path):
                    flat[piece * PIECE : (piece + 1) * PIECE] = np.load(path)
        if wanted.by_task:
            sums[BY_TASK] = np.zeros((len(wanted.chosen), self._runner.prepared.width))
            for shard in self._runner.shards:
                path = _by_task_path(out, number, shard.number)
                if os.path.exists(path):
                    with np.load(path) as part:
                        sums[BY_TASK][part["places"]] += part["sums"]
        return sums

    def _places(self, wanted: Wanted) -> np.ndarray:
        """Give the place of each task of the table among the chosen ones, -1 for others: int32 [tasks]."""
        owners = next((owners for tasks, owners in self._known if tasks is wanted.tasks), None)
        if owners is None:
            owners = self._owners(wanted.tasks)
            self._known = [*self._known[-1:], (wanted.tasks, owners)]
        places = np.full(len(wanted.tasks.names) + 1, -1, np.int32)  # the last is that of no owner, -1
        places[wanted.chosen] = np.arange(len(wanted.chosen))
        return places[owners]

    def _owners(self, tasks: TaskRows) -> np.ndarray:
        """Find which of `tasks` the rows of each task of the table belong to, -1 for none: int [tasks]."""
        counts = np.zeros(len(self._offsets) - 1, np.int64)
        owners = np.full(len(counts), -1)
        for start in range(0, len(tasks.rows), LOOKED_UP):
            rows = tasks.rows[start : start + LOOKED_UP]
            here = np.searchsorted(self._offsets, rows, "right") - 1
            owner = np.searchsorted(tasks.offsets, np.arange(start, start + len(rows)), "right") - 1
            counts += np.bincount(here, minlength=len(counts))
            split = (owners[here] >= 0) & (owners[here] != owner)
            owners[here] = owner
            if split.any() or (owners[here] != owner).any():
                raise ValueError("Expected all rows of a task to be summed together.")
        if not np.isin(counts - np.diff(self._offsets) * (counts > 0), 0).all():
            raise ValueError("Expected all rows of a task to be summed, or none.")
        return owners


class _SumShard(OverShards):
    """Gives the sums over the rows of a shard."""

    def __init__(self, prepared: Prepared, error: str, folder: str, out: str) -> None:
        super().__init__(prepared, error)
        self._folder, self._out = folder, out

    def of_shard(self, shard: Shard) -> Iterator[tuple[Key, Value]]:
        scale, jobs = self._jobs()
        records = self._read("records")
        first = int(np.searchsorted(records, shard.first, "right")) - 1
        last = int(np.searchsorted(records, shard.first + shard.length - 1, "right"))
        parts = []
        for number, job in enumerate(jobs):
            places = np.array(self._read(f"places-{number}")[first:last])
            if (places >= 0).any():
                parts.append(_Part(number, job, places, self.prepared.width))
        means = {part.number: self._read(f"means-{part.number}") for part in parts if part.job.about_means}
        for block, kept in self.prepared.blocks(shard):
            numbers = shard.first + block.first + np.flatnonzero(kept)
            tasks = np.searchsorted(records[first : last + 1], numbers, "right") - 1
            rows = block.x[kept]
            rows = rows if scale is None else scale(rows)
            for part in parts:
                part.add(rows, tasks, means.get(part.number))
        for part in parts:
            part.write_by_task(self._out, shard.number)
            yield from part.pieces()

    def _jobs(self) -> tuple[Scale | None, list[_Job]]:
        with open(os.path.join(self._folder, "jobs.pickle"), "rb") as file:
            found: tuple[Scale | None, list[_Job]] = pickle.load(file)
        return found

    def _read(self, name: str) -> np.ndarray:
        """Map an array that the main process wrote; only what is looked at is read."""
        found: np.ndarray = np.load(os.path.join(self._folder, f"{name}.npy"), mmap_mode="r")
        return found


class _Part:
    """A job's sums over the rows of a shard.

    Args:
        number: of the job.
        job: what is summed.
        places: int32 [tasks of the shard], the place of each among the job's; -1 for others.
        width: the number of features.
    """

    def __init__(self, number: int, job: _Job, places: np.ndarray, width: int) -> None:
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
            with replacing(_by_task_path(out, self.number, shard)) as path:
                np.savez(path, places=self._places[self._places >= 0], sums=self._by_task)

    def pieces(self) -> Iterator[tuple[Key, Value]]:
        """Give the other sums in pieces."""
        for name, array in self._sums.items():
            flat = array.reshape(-1)
            for piece in range(-(-len(flat) // PIECE)):
                part = flat[piece * PIECE : (piece + 1) * PIECE]
                yield (self.number, name, piece), (self.job.what.merged[name].__name__, part)


class _Merge(beam.CombineFn):
    """Makes one of the same piece of several sums."""

    def create_accumulator(self) -> Value | None:
        return None

    def add_input(self, total: Value | None, value: Value) -> Value:
        if total is None:
            return value[0], value[1].copy()
        getattr(np, value[0])(total[1], value[1], out=total[1])
        return total

    def merge_accumulators(self, totals: Iterable[Value | None]) -> Value | None:
        merged = None
        for total in totals:
            if total is not None:
                merged = self.add_input(merged, total)
        return merged

    def extract_output(self, total: Value | None) -> Value | None:
        return total


def _write(merged: tuple[Key, Value], out: str) -> None:
    key, (_, piece) = merged
    with replacing(_piece_path(out, key)) as path:
        np.save(path, piece)


def _piece_path(out: str, key: Key) -> str:
    return os.path.join(out, "{}-{}-{}.npy".format(*key))


def _by_task_path(out: str, job: int, shard: int) -> str:
    return os.path.join(out, f"{job}-tasks-{shard}.npz")
