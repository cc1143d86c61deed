"""The generic builder: a user's table as a TFDS dataset with one split, `rows`, sorted by task."""

import dataclasses
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds
from tensorflow_datasets.core import dataset_builder

import data_builders
from data_builders.preparation import preparing, run_builder
from data_builders.table.records import serialize
from data_builders.table.survey import Survey, Surveyor
from data_builders.table.table import Table
from tffs.errors import UserError

SPLIT = "rows"
VERSION = "1.0.0"
WRITTEN_ROWS = 8192
WRITTEN_BYTES = 32 * 2**20
SHARD_BYTES = 256 * 2**20


def path_of(dataset: str, data_dir: str) -> str:
    """Give the path of a prepared table, by its dataset's name."""
    return os.path.join(data_dir, dataset, VERSION)


def prepare_table(
    table: Table,
    dataset: str,
    data_dir: str,
    check: Callable[[Survey], list[str]],
    show: Callable[[str, float], None],
) -> None:
    """Make sure that a table lies prepared below `data_dir`; one that is there already is not read.

    Args:
        table: opened.
        dataset: its dataset's name.
        data_dir: where prepared datasets are kept.
        check: says what is wrong with a survey; if anything is, `UserError` is raised. What is prepared does
            not depend on it.
        show: is told what is being done and which share of it is.
    """
    if not table.readable:
        raise UserError(problem_list(table.path, table.problems))
    if os.path.isdir(path_of(dataset, data_dir)):
        return
    with preparing(dataset, data_dir):
        if not os.path.isdir(path_of(dataset, data_dir)):
            config = TableConfig(name=os.path.basename(dataset), table=table, check=check, show=show)
            run_builder(Builder(data_dir=data_dir, config=config))


def problem_list(path: str, problems: list[str]) -> str:
    """Write one problem as a sentence, or several as a list."""
    if len(problems) == 1:
        return f"{path}: {problems[0]}"
    return f"{path} cannot be trained on, for {len(problems)} reasons:" + "".join(
        f"\n  - {problem}" for problem in problems
    )


@dataclasses.dataclass(eq=False)
class TableConfig(tfds.core.BuilderConfig):
    """Which table to build.

    Attributes:
        table: opened.
        check: says what is wrong with a survey.
        show: is told what is being done and which share of it is.
    """

    table: Table | None = None
    check: Callable[[Survey], list[str]] = lambda survey: []
    show: Callable[[str, float], None] = lambda what, share: None


class Builder(dataset_builder.FileReaderBuilder, skip_registration=True):  # type: ignore[call-arg]
    """Any table; it writes its records itself, because a user's table may have millions of rows."""

    VERSION = tfds.core.Version(VERSION)
    name = data_builders.TABLE

    @property
    def _table(self) -> Table:
        return self.builder_config.table

    def _info(self) -> tfds.core.DatasetInfo:
        features = {
            "x": tfds.features.Tensor(shape=(len(self._table.feature_names),), dtype=np.float32),
            "task": tfds.features.Text(),
            "id": tfds.features.Text(),
        }
        if self._table.labelled:
            features["label"] = tfds.features.Scalar(dtype=np.int64)
        return tfds.core.DatasetInfo(
            builder=self,
            description="A table of a user.",
            features=tfds.features.FeaturesDict(features),
            disable_shuffling=True,
            metadata=tfds.core.MetadataDict(),
        )

    def _download_and_prepare(self, dl_manager: Any, download_config: Any = None) -> None:
        """Spool the rows to a scratch file, survey them on the way, and write them sorted by task.

        The scratch file has no name, so nothing is left of it whatever happens.
        """
        with tempfile.TemporaryFile(dir=self._data_dir) as scratch:
            rows = _Rows(self._table, scratch, self.builder_config.show)
            survey = rows.survey
            errors = self._table.problems + self.builder_config.check(survey)
            if errors:
                raise UserError(problem_list(self._table.path, errors))
            template = self._get_filename_template(split_name=SPLIT)
            lengths = rows.shard_lengths()
            paths = [
                os.fspath(template.sharded_filepath(shard_index=shard, num_shards=len(lengths)))
                for shard in range(len(lengths))
            ]
            written = rows.write(paths, lengths)
        self.info.metadata.update(
            feature_names=list(survey.feature_names),
            task_names=list(survey.task_names),
            counts=survey.task_rows.tolist(),
            offsets=np.concatenate([[0], np.cumsum(survey.task_rows)]).tolist(),
            class_names=rows.class_names,
            survey=survey.to_metadata(),
        )
        split = tfds.core.SplitInfo(
            name=SPLIT, shard_lengths=lengths, num_bytes=written, filename_template=template
        )
        self.info.set_splits(tfds.core.splits.SplitDict([split]))


class _Rows:
    """The rows of a table in a scratch file, in the order in which they came.

    Attributes:
        survey: what they hold.
        class_names: sorted.
    """

    def __init__(self, table: Table, scratch: Any, show: Callable[[str, float], None]) -> None:
        surveyor = Surveyor(table.feature_names)
        tasks, labels, numbers = [], [], []
        for piece in table.pieces(lambda share: show("reading", share)):
            codes, classes = surveyor.add(piece)
            tasks.append(codes)
            if classes is not None:
                labels.append(classes)
            numbers.append(np.arange(piece.first_row, piece.first_row + len(codes)))
            np.ascontiguousarray(piece.block.x.T, np.float32).tofile(scratch)
        scratch.flush()
        self.survey: Survey = surveyor.survey()
        self._show = show
        self._numbers = np.concatenate(numbers) if numbers else np.zeros(0, np.int64)
        by_code = surveyor.tasks.sorted_codes()
        self._tasks = _ranks(np.concatenate(tasks) if tasks else np.zeros(0, np.int64), by_code)
        by_label = surveyor.labels.sorted_codes()
        self.class_names = [surveyor.labels.names[code] for code in by_label]
        self._labels = _ranks(np.concatenate(labels), by_label) if labels else None
        order = np.argsort(self._tasks, kind="stable")
        self._order = order[np.searchsorted(self._tasks[order], 0) :]  # rows without a task are dropped
        self._width = len(table.feature_names)
        if surveyor.rows:
            self._x = np.memmap(scratch, np.float32, "r", shape=(surveyor.rows, self._width))

    def shard_lengths(self) -> list[int]:
        """Cut the rows into shards of about the same size."""
        shards = max(1, round(len(self._order) * 4 * self._width / SHARD_BYTES))
        bounds = np.linspace(0, len(self._order), min(shards, len(self._order)) + 1).astype(int)
        return np.diff(bounds).tolist()

    def write(self, paths: list[str], lengths: list[int]) -> int:
        """Write the rows, sorted by task, to the shards; returns the bytes written."""
        written = start = 0
        for path, length in zip(paths, lengths, strict=True):
            with tf.io.TFRecordWriter(path) as writer:
                for record in self._records(start, start + length):
                    writer.write(record)
                    written += len(record)
            start += length
        return written

    def _records(self, start: int, stop: int) -> Iterator[bytes]:
        names = self.survey.task_names
        step = int(np.clip(WRITTEN_BYTES // (4 * self._width), 1, WRITTEN_ROWS))
        for first in range(start, stop, step):
            rows = self._order[first : min(first + step, stop)]
            yield from serialize(
                self._x[rows],
                None if self._labels is None else self._labels[rows],
                [names[task] for task in self._tasks[rows]],
                [str(number) for number in self._numbers[rows]],
            )
            self._show("writing", (first + len(rows)) / len(self._order))


def _ranks(codes: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Replace codes by their places in `order`; -1 stays."""
    rank = np.full(len(order) + 1, -1, np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes]
