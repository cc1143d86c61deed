"""Sums over the rows of a prepared table, computed by the workers of a Beam pipeline.

`tffs.data.sums` says what is summed and why. A pass is one pipeline over the files of the table:

1. The main process writes what is wanted into a folder that all workers see: the `RowSums` themselves, which
   tasks' rows each is over, and the tasks' means.
2. A worker reads a file block by block, scales it, and adds it to all sums that are wanted. It holds a block
   and the sums. Means are read for the tasks of a block. Sums of tasks are written to a file of their own.
3. Sums leave a worker in pieces of 8 MB, and are merged piece by piece.
4. The main process reads the pieces, and adds up the sums of tasks that lie in several files.

What takes more than `WORKER_BYTES` of sums is computed in several passes. `beam_jobs.py` has what workers do.
Importing this needs apache-beam.
"""

from collections.abc import Sequence

import apache_beam as beam
import numpy as np

from tffs.data.beam_jobs import Job, Jobs, Merge, SumShard, by_task_path, piece_path, pieces_of, write_piece
from tffs.data.beam_runner import BeamRunner, PassFolder
from tffs.data.scale import Scale
from tffs.data.sums import BY_TASK, Arrays, Wanted
from tffs.data.tasks import TaskRows

WORKER_BYTES = 512 * 2**20  # of sums that a worker holds; it holds them twice while it hands them on
LOOKED_UP = 2**22  # rows whose tasks are looked up at a time


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
        self.runner = runner
        self._records, self._offsets, self._scale = records, offsets, scale
        self._known: list[tuple[TaskRows, np.ndarray]] = []

    def scaled(self, scale: Scale) -> "BeamPasses":
        """Give sums over the same rows in scaled units."""
        return BeamPasses(self.runner, self._records, self._offsets, scale)

    def begin(self, doing: str, about: int) -> None:
        """Count the next passes from 1."""
        self.runner.begin(doing, about)

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

    def jobs(self, wanted: Sequence[Wanted]) -> Jobs:
        """Say what is wanted as workers know it."""
        jobs = tuple(
            Job(one.what, np.dtype(one.dtype).name, one.by_task, one.means is not None) for one in wanted
        )
        places = [self._places(one) for one in wanted]
        return Jobs(jobs, self._scale, self._records, places, [one.means for one in wanted])

    def _pass(self, wanted: Sequence[Wanted]) -> list[Arrays]:
        jobs, prepared = self.jobs(wanted), self.runner.prepared

        def build(shards: beam.PCollection, shared: PassFolder) -> None:
            jobs.write(shared.path)
            sum_shard = SumShard(prepared, shared.error, shared.path, shared.out)
            _ = (
                shards
                | "Sum" >> beam.ParDo(sum_shard)
                | "Merge" >> beam.CombinePerKey(Merge())
                | "Write" >> beam.Map(write_piece, shared.out, shared.error)
            )

        return self.runner.outcome(
            jobs.told_apart_by(),
            build,
            lambda out: [self._gathered(out, number, one, jobs) for number, one in enumerate(wanted)],
        )

    def _gathered(self, out: str, number: int, wanted: Wanted, jobs: Jobs) -> Arrays:
        """Put the sums together that the workers left; where there are rows, every file must be there."""
        sums = wanted.what.zeros()
        if wanted.tasks.counts[wanted.chosen].any():
            for name, array in sums.items():
                for piece, part in enumerate(pieces_of(array)):
                    part[:] = np.load(piece_path(out, (number, name, piece)))
        if wanted.by_task:
            sums[BY_TASK] = np.zeros((len(wanted.chosen), self.runner.prepared.width))
            for shard in jobs.by_task_of(number, self.runner.shards):
                with np.load(by_task_path(out, number, shard.number)) as found:
                    sums[BY_TASK][found["places"]] += found["sums"]
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
