"""What workers of a Beam pipeline do with the files of a prepared table; importing this needs apache-beam."""

import dataclasses
import os
from collections.abc import Iterator
from typing import Any

import apache_beam as beam
import numpy as np
from threadpoolctl import threadpool_limits

from tffs.errors import UserError, reason
from tffs.startup import started_tensorflow
from tffs.whole_file import replacing


@dataclasses.dataclass(frozen=True)
class Shard:
    """One of the files.

    Attributes:
        number: its place among them.
        path: where all workers see it.
        first: the number of its first record among all.
        length: how many records it has.
    """

    number: int
    path: str
    first: int
    length: int


@dataclasses.dataclass(frozen=True)
class Prepared:
    """What a worker must know of a prepared table.

    Attributes:
        folder: where it lies.
        width: the number of features M.
        labelled: whether records have labels.
        drop: whether rows that lack a value or a label are left out.
    """

    folder: str
    width: int
    labelled: bool
    drop: bool

    def blocks(self, shard: Shard) -> Iterator[tuple[Any, np.ndarray]]:
        """Read a shard: blocks of `records.Block`, and which of their rows are kept."""
        started_tensorflow()
        from tffs.data.records import Records

        records = Records(self.folder, (shard.path,), (shard.length,), self.width, self.labelled)
        for block in records.blocks():
            kept = np.ones(len(block.x), bool)
            if self.drop:
                kept = ~np.isnan(block.x).any(axis=1)
                if block.labels is not None:
                    kept &= block.labels >= 0
            yield block, kept


class OverShards(beam.DoFn):
    """Does something with each shard; why a shard cannot be read is left in a file as one sentence.

    Args:
        prepared: the table.
        error: the path of that file.
    """

    def __init__(self, prepared: Prepared, error: str) -> None:
        self.prepared = prepared
        self._error = error
        self._home = os.getpid()

    def setup(self) -> None:
        """Leave a core to a worker: NumPy's threads would wait for each other."""
        if os.getpid() != self._home:
            threadpool_limits(1)

    def process(self, shard: Shard) -> Iterator[Any]:
        """Do it with one shard, as Beam calls it."""
        try:
            yield from self.of_shard(shard)
        except (UserError, OSError) as error:
            sentence = str(error)
            if not isinstance(error, UserError):
                where = error.filename or shard.path
                does = "read" if where == shard.path else "write"
                sentence = (
                    f"A worker cannot {does} {where} ({error.strerror or reason(error)}): with --beam_options "
                    "every worker must see --data_dir, at the same path, and may write into it."
                )
            with replacing(self._error) as path, open(path, "w", encoding="utf-8") as file:
                file.write(sentence)
            raise

    def of_shard(self, shard: Shard) -> Iterator[Any]:
        """Do it with one shard."""
        raise NotImplementedError
