"""Passes over a prepared table as Beam pipelines, one at a time; importing this needs apache-beam."""

import contextlib
import hashlib
import os
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import apache_beam as beam
import numpy as np
from apache_beam.options.pipeline_options import PipelineOptions

import tffs
from data_builders.table.beam_pipeline import run_pipeline
from tffs.data.beam_shards import Prepared, Shard
from tffs.data.records import Records
from tffs.data.stored_rows import check_unchanged, states_of
from tffs.errors import UserError, reason
from tffs.whole_file import staging

Outcome = TypeVar("Outcome")


class BeamRunner:
    """Runs passes, and keeps what they gave: a pass that was made is not made again.

    What a pass gave lies in a folder beside the prepared table, under a name that says what was asked, and of
    which files. So a command that was stopped goes on with the pass that it was stopped in, and files that
    have changed since are read anew. The folder may be deleted when no command uses it.

    Args:
        options: Beam's.
        records: the prepared table.
        drop: whether rows that lack a value or a label are left out.
        show: is called with what is being done and the share of it that is done.
        stop: asked during a pass; True ends it and raises `KeyboardInterrupt`.

    Attributes:
        prepared: what workers must know of the table.
        shards: its files.
        states: of these files before the first pass, see `states_of`.
        folder: where the outcomes lie.
    """

    def __init__(
        self,
        options: PipelineOptions,
        records: Records,
        drop: bool,
        show: Callable[[str, float], None],
        stop: Callable[[], bool],
    ) -> None:
        folder = os.path.abspath(records.folder)
        self.prepared = Prepared(folder, records.width, records.labelled, drop)
        firsts = np.concatenate([[0], np.cumsum(records.lengths)]).tolist()
        self.shards = [
            Shard(number, os.path.abspath(path), firsts[number], length)
            for number, (path, length) in enumerate(zip(records.paths, records.lengths, strict=True))
        ]
        self.states = states_of(records)
        self._records = records
        self.folder = os.path.join(os.path.dirname(folder), "sums")
        self._options, self._show, self._stop = options, show, stop
        self._lock = threading.Lock()
        self._doing, self._about, self._made = "", 0, 0

    def begin(self, doing: str, about: int) -> None:
        """Count the next passes from 1."""
        with self._lock:
            self._doing, self._about, self._made = doing, about, 0

    def outcome(
        self,
        asked: Iterable[bytes],
        build: Callable[[beam.PCollection, "PassFolder"], None],
        read: Callable[[str], Outcome],
    ) -> Outcome:
        """Make a pass, or find what it gave before.

        Args:
            asked: what tells this pass from others over the same table.
            build: adds what is done with the shards; it leaves the outcome as files in `PassFolder.out`.
            read: reads the outcome from the folder of these files.
        """
        path = os.path.join(self.folder, self._key(asked))
        with self._lock, self._counted():  # folds ask from several threads
            if not os.path.isdir(path):
                self._make(path, build)
        try:
            return read(path)
        except (FileNotFoundError, EOFError, ValueError, zipfile.BadZipFile) as error:
            shutil.rmtree(path, ignore_errors=True)  # so that it is not taken for the outcome again
            raise UserError(
                f"Beam said that a pass over the rows was done, but what it left in {path} is not whole "
                f"({reason(error)}): its workers must write into --data_dir, at the same path as this process. "
                "The same command makes the pass again."
            ) from error

    def _key(self, asked: Iterable[bytes]) -> str:
        digest = hashlib.sha256(f"{tffs.__version__} {self.prepared} {self.states}".encode())
        for part in asked:
            digest.update(hashlib.sha256(part).digest())
        return digest.hexdigest()[:32]

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        self._made += 1
        doing = f"{self._doing}: pass {self._made} of about {max(self._about, self._made)} over the rows"
        self._show(doing, 0.0)
        yield
        self._show(doing, 1.0)

    def _make(self, path: str, build: Callable[[beam.PCollection, "PassFolder"], None]) -> None:
        os.makedirs(self.folder, exist_ok=True)
        with staging(self.folder) as folder:
            shared = PassFolder(folder)
            os.mkdir(shared.out)
            try:
                run_pipeline(
                    self._options,
                    lambda pipeline: build(
                        pipeline | "Shards" >> beam.Create(self.shards) | "Spread" >> beam.Reshuffle(), shared
                    ),
                    "sum over the rows",
                    self._stop,
                )
            except UserError as error:
                if os.path.exists(shared.error):
                    with open(shared.error, encoding="utf-8") as file:
                        raise UserError(file.read()) from error
                raise
            check_unchanged(self._records, self.states)
            try:
                os.rename(shared.out, path)
            except OSError:
                if not os.path.isdir(path):  # it is there if another process has made the same pass
                    raise


class PassFolder:
    """What the process and the workers of one pass tell each other, in a folder that all see at the same path.

    Args:
        path: of the folder.

    Attributes:
        out: where the outcome is left.
        error: why a worker failed.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.out = os.path.join(path, "out")
        self.error = os.path.join(path, "error.txt")
