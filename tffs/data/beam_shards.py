"""What workers of a Beam pipeline do with the files of a prepared table; importing this needs apache-beam."""

import contextlib
import dataclasses
import errno
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
        """Read a shard: blocks of `records.Block`, and which of their rows are kept.

        A file that this worker does not see raises `OSError`; damage raises `UserError`.
        """
        with open(shard.path, "rb"):  # `Records` would call a file that is missing here damaged
            pass
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
    """Does something with each shard; why a worker failed is left in a file as one sentence.

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
        with reporting(self._error, shard.path):
            yield from self.of_shard(shard)

    def of_shard(self, shard: Shard) -> Iterator[Any]:
        """Do it with one shard."""
        raise NotImplementedError


@contextlib.contextmanager
def reporting(error_path: str, read: str = "") -> Iterator[None]:
    """Leave a sentence for the main process if a worker fails.

    Args:
        error_path: the file of the sentence.
        read: what the worker reads, in case that the system does not name what it could not read.
    """
    try:
        yield
    except (UserError, OSError) as error:
        sentence = (
            str(error) if isinstance(error, UserError) else _cannot("read", error.filename or read, error)
        )
        # On a full disk the sentence may not fit either; what happened is raised all the same.
        with (
            contextlib.suppress(OSError),
            replacing(error_path) as path,
            open(path, "w", encoding="utf-8") as file,
        ):
            file.write(sentence)
        raise


@contextlib.contextmanager
def leaving(path: str) -> Iterator[str]:
    """Give a path to write what the main process waits for, as `replacing` does; a failure is one sentence."""
    try:
        with replacing(path) as beside:
            yield beside
    except OSError as error:
        raise UserError(_cannot("write", path, error)) from error


def _cannot(do: str, path: str, error: OSError) -> str:
    advice = (
        "make room there"
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        else "with --beam_options every worker must see --data_dir, at the same path, and may write into it"
    )
    return f"A worker cannot {do} {path} ({error.strerror or reason(error)}): {advice}."
