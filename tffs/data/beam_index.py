"""Where the rows of a prepared table are, found by the workers of a Beam pipeline."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import apache_beam as beam
import numpy as np

from tffs.data.beam_runner import BeamRunner, PassFolder
from tffs.data.beam_shards import OverShards, Prepared, Shard, leaving
from tffs.data.reading import ReadRows
from tffs.data.records import Records
from tffs.data.stored_rows import StoredRows


def indexed(runner: BeamRunner, records: Records) -> ReadRows:
    """Read all records once, as `reading.read_rows` does without holding any; every checksum is checked."""
    parts = runner.outcome(
        [b"index"],
        _build(runner.prepared),
        lambda out: [dict(np.load(_path(out, shard))) for shard in runner.shards],
    )
    kept = np.concatenate([part["kept"] for part in parts])
    chosen = np.flatnonzero(kept) if runner.prepared.drop else None
    labels = None
    if records.labelled:
        labels = np.concatenate([part["labels"] for part in parts])
        labels = labels if chosen is None else labels[chosen]
    sizes = np.concatenate([part["sizes"] for part in parts])
    stored = StoredRows.of(records, sizes, chosen, runner.states)
    return ReadRows(stored, labels, np.concatenate([[0], np.cumsum(kept)]))


def _path(folder: str, shard: Shard) -> str:
    return os.path.join(folder, f"{shard.number}.npz")


def _build(prepared: Prepared) -> Callable[[beam.PCollection, PassFolder], None]:
    def build(shards: beam.PCollection, shared: PassFolder) -> None:
        _ = shards | "Index" >> beam.ParDo(_IndexShard(prepared, shared.error, shared.out))

    return build


class _IndexShard(OverShards):
    """Writes how many bytes each record of a shard takes, its label, and whether it is kept."""

    def __init__(self, prepared: Prepared, error: str, out: str) -> None:
        super().__init__(prepared, error)
        self._out = out

    def of_shard(self, shard: Shard) -> Iterator[None]:
        found: dict[str, list[np.ndarray]] = {"sizes": [], "kept": [], "labels": []}
        for block, kept in self.prepared.blocks(shard):
            found["sizes"].append(block.sizes.astype(np.uint32))
            found["kept"].append(kept)
            if block.labels is not None:
                found["labels"].append(block.labels)
        arrays: dict[str, Any] = {name: np.concatenate(parts) for name, parts in found.items() if parts}
        with leaving(_path(self._out, shard)) as path:
            np.savez(path, **arrays)
        yield from ()
