"""The second pipeline over a table: its rows as records, sorted by task, in shards."""

from collections.abc import Iterable, Iterator, Sequence

import apache_beam as beam
import numpy as np

from data_builders.table.beam_scratch import Scratch
from data_builders.table.names import Names
from data_builders.table.opening import open_file
from data_builders.table.table import CHANGED
from data_builders.table.unit import Piece, Unit
from tffs.startup import started_tensorflow
from tffs.whole_file import replacing

CHUNK_BYTES = 2**20  # what travels as one element, so that no message is large
Chunk = tuple[bytes, list[bytes]]  # places (int64, rising) and records


def records_pipeline(
    pipeline: beam.Pipeline,
    units: Sequence[Unit],
    class_names: Sequence[str],
    paths: Sequence[str],
    lengths: Sequence[int],
    scratch: Scratch,
) -> None:
    """Write the rows of the units, of which `scratch.starts` says where they go.

    Args:
        pipeline: to add to.
        units: of the table.
        class_names: sorted.
        paths: of the shards.
        lengths: how many rows each shard has.
        scratch: where the units' starts are; the outcome is `scratch.written`.
    """
    bounds = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    (
        pipeline
        | "Units" >> beam.Create(units)
        | "Spread" >> beam.Reshuffle()
        | "Records" >> beam.ParDo(_Records(class_names, bounds, scratch))
        | "Shards" >> beam.GroupByKey()
        | "WriteShards" >> beam.Map(_write_shard, list(paths), bounds, scratch)
        | "List" >> beam.combiners.ToList()
        | "Write" >> beam.Map(_write_sizes, scratch)
    )


class _Records(beam.DoFn):
    """Serializes the rows of a unit, and says in which shard and at which place they stand."""

    def __init__(self, class_names: Sequence[str], bounds: np.ndarray, scratch: Scratch) -> None:
        self._classes = {name: number for number, name in enumerate(class_names)}
        self._bounds, self._scratch = bounds, scratch

    def process(self, unit: Unit) -> Iterator[tuple[int, Chunk]]:
        places = self._scratch.read(self._scratch.starts(unit.number))
        for piece in unit.pieces(open_file(unit.path)):
            yield from self._chunks(piece, places)

    def _chunks(self, piece: Piece, places: dict[str, int]) -> Iterator[tuple[int, Chunk]]:
        """Serialize a piece; `places` has the next place of each task, and is moved on."""
        started_tensorflow()
        from data_builders.table.row_examples import BATCH_ROWS, serialize

        x, labels = piece.block.x, piece.block.label
        tasks = Names()
        if piece.task is None:
            assert piece.block.task is not None
            codes = tasks.codes(piece.block.task, piece)
        else:
            codes = np.full(x.shape[1], tasks.code(piece.task))
        rows, where = _places(codes, tasks, places)
        classes = None if labels is None else self._class_numbers(labels.to_pylist())
        step = int(np.clip(CHUNK_BYTES // (4 * len(x)), 1, BATCH_ROWS))
        for start in range(0, len(rows), step):
            part, at = rows[start : start + step], where[start : start + step]
            records = serialize(
                np.ascontiguousarray(x[:, part].T, np.float32),
                None if classes is None else classes[part],
                [tasks.names[code] for code in codes[part]],
                [str(piece.first_row + row) for row in part],
            )
            # What lies beyond the end, of a table that has grown meanwhile, is refused with the last shard.
            shards = np.searchsorted(self._bounds[1:-1], at, side="right")
            for shard in np.unique(shards).tolist():
                here = shards == shard
                yield shard, (at[here].tobytes(), [records[row] for row in np.flatnonzero(here).tolist()])

    def _class_numbers(self, labels: list[str | None]) -> np.ndarray:
        try:
            return np.asarray([-1 if label is None else self._classes[label] for label in labels], np.int64)
        except KeyError as error:
            raise RuntimeError(CHANGED) from error


def _places(codes: np.ndarray, tasks: Names, places: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Give the rows that have a task and their places among all rows, both in the order of the places."""
    rows = np.argsort(codes, kind="stable")
    rows = rows[np.searchsorted(codes[rows], 0) :]
    counts = np.bincount(codes[rows], minlength=len(tasks.names))
    try:
        first = np.asarray([places[name] for name in tasks.names], np.int64)
    except KeyError as error:
        raise RuntimeError(CHANGED) from error
    where = (first - np.cumsum(counts) + counts)[codes[rows]] + np.arange(len(rows))
    for name, count in zip(tasks.names, counts.tolist(), strict=True):
        places[name] += count
    order = np.argsort(where)
    return rows[order], where[order]


def _write_shard(
    grouped: tuple[int, Iterable[Chunk]], paths: Sequence[str], bounds: np.ndarray, scratch: Scratch
) -> tuple[int, int]:
    """Write a shard; returns its number and its records' bytes."""
    shard, chunks = grouped
    where: list[np.ndarray] = []
    records: list[bytes] = []
    for rows, part in chunks:
        where.append(np.frombuffer(rows, np.int64))
        records += part
    places = np.concatenate(where)
    order = np.argsort(places)
    if not np.array_equal(places[order], np.arange(bounds[shard], bounds[shard + 1])):
        raise RuntimeError(CHANGED)
    with (
        replacing(paths[shard], scratch.folder) as path,  # of a worker that dies nothing stays among the shards
        started_tensorflow().io.TFRecordWriter(path) as writer,
    ):
        for row in order:
            writer.write(records[row])
    return shard, sum(map(len, records))


def _write_sizes(sizes: list[tuple[int, int]], scratch: Scratch) -> None:
    scratch.write(scratch.written, [size for _, size in sorted(sizes)])
