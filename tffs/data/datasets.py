"""Load a dataset as tasks: one of the builders' or a user's table, prepared first if need be."""

import dataclasses
import os
from collections.abc import Callable

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

import data_builders
from data_builders.preparation import prepare
from data_builders.table.findings import Findings, findings
from data_builders.table.options import same_content
from data_builders.table.survey import Survey
from data_builders.table.table import Table
from data_builders.table.table_dataset_builder import path_of, prepare_table, problem_list
from tffs.config import DataPlace
from tffs.data.memory import shareable
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed

READ_ROWS = 4096
READ_BYTES = 4 * 2**20


@dataclasses.dataclass(frozen=True)
class Loaded:
    """A dataset in memory.

    Attributes:
        name: the builder's name, or `table/<key>` where the key goes by the table's content.
        tasks: all rows, in raw units; NaN where a value is missing and is to be filled in.
    """

    name: str
    tasks: Tasks


def load(
    name: str | None,
    place: DataPlace,
    missing: str = "error",
    say: Callable[[str], None] = lambda sentence: None,
    show: Callable[[str, float], None] = lambda doing, share: None,
    check: Callable[[str, Survey], Findings] | None = None,
) -> Loaded:
    """Prepare a dataset if need be and read all its tasks.

    Args:
        name: the dataset, or None for the table of `place`.
        place: where the rows come from.
        missing: `error`, `median` or `drop_rows`: what to do about missing values.
        say: receives one-sentence notes for the person.
        show: is told what is being done and which share of it is.
        check: says what is wrong with a table, by its dataset's name and survey; what `missing` cannot mend if
            not given.
    """
    if check is None:

        def check(dataset: str, survey: Survey) -> Findings:
            return findings(survey, missing)

    if place.table is not None:
        table = Table(place.table)
        if table.ignored:
            say(
                f"Ignoring {len(table.ignored)} file(s) of {table.path} that are no tables: "
                f"{listed(table.ignored)}."
            )
        found = table.dataset()
        if name is not None and not same_content(name, found):
            raise UserError(
                f"--table={table.path} has changed since this run was trained, or other columns were named: "
                "give the table of that run, or train a new run with another --workdir."
            )
        found = name or found
        prepare_table(table, found, place.data_dir, lambda survey: check(found, survey).errors, show)
        return Loaded(found, _load_table(found, table.path, place.data_dir, missing, say, show, check))
    assert name is not None
    if name.startswith(f"{data_builders.TABLE}/"):
        return Loaded(name, _load_table(name, name, place.data_dir, missing, say, show, check))
    builder = prepare(name, place.data_dir, place.mirror)
    tasks = _read(builder, tuple(builder.info.splits), show)
    _check(name, tasks, missing)
    return Loaded(name, _without_missing(tasks) if missing == "drop_rows" else tasks)


def _load_table(
    dataset: str,
    called: str,
    data_dir: str,
    missing: str,
    say: Callable[[str], None],
    show: Callable[[str, float], None],
    check: Callable[[str, Survey], Findings],
) -> Tasks:
    """Read a prepared table, which the person calls `called`, after what its survey says about it."""
    path = path_of(dataset, data_dir)
    if not os.path.isdir(path):
        raise UserError(
            f"The prepared rows of {dataset} are not in --data_dir={data_dir}: give the run's --table again, "
            "with its columns, to prepare them anew."
        )
    builder = _builder_in(path)
    metadata = builder.info.metadata
    found = check(dataset, Survey.from_metadata(metadata["survey"]))
    if found.errors:
        raise UserError(problem_list(called, found.errors))
    for note in found.notes:
        say(f"Note: {note}")
    tasks = _read(builder, ("rows",), show)
    tasks = dataclasses.replace(
        tasks,
        task_names=tuple(metadata["task_names"]),
        offsets=np.asarray(metadata["offsets"], np.int64),
        class_names=tuple(metadata["class_names"]),
    )
    return _without_missing(tasks) if missing == "drop_rows" else tasks


def _builder_in(path: str) -> tfds.core.DatasetBuilder:
    try:
        return tfds.builder_from_directory(path)
    except (OSError, ValueError, KeyError, AttributeError, tf.errors.OpError) as error:
        raise _unreadable(path, error) from error


def _read(
    builder: tfds.core.DatasetBuilder, splits: tuple[str, ...], show: Callable[[str, float], None]
) -> Tasks:
    """Read the records of some splits, each a task, a batch at a time into one matrix."""
    info = builder.info
    counts = [info.splits[split].num_examples for split in splits]
    names = tuple(info.metadata["feature_names"])
    width = info.features["x"].shape[0]
    matrix = shareable((sum(counts), width))
    labels = np.empty(len(matrix), np.int64) if "label" in info.features else None
    spec = {"x": tf.io.FixedLenFeature([width], tf.float32)}
    if labels is not None:
        spec["label"] = tf.io.FixedLenFeature([], tf.int64)
    files = [os.fspath(path) for split in splits for path in info.splits[split].filepaths]
    size = int(np.clip(READ_BYTES // (4 * width), 1, READ_ROWS))
    records = tf.data.TFRecordDataset(files, buffer_size=READ_BYTES).batch(size)
    row = 0
    try:
        for batch in records.map(lambda record: tf.io.parse_example(record, spec), 2).prefetch(1):
            x = batch["x"].numpy()
            stop = row + len(x)
            matrix[row:stop] = x
            if labels is not None:
                labels[row:stop] = batch["label"].numpy()
            row = stop
            show("loading", row / len(matrix))
    except (OSError, ValueError, tf.errors.OpError) as error:
        raise _unreadable(os.fspath(builder.data_path), error) from error
    if row != len(matrix):
        raise _unreadable(os.fspath(builder.data_path), EOFError())
    return Tasks(matrix, names, splits, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), labels)


def _unreadable(path: str, error: Exception) -> UserError:
    return UserError(
        f"The prepared files in {path} cannot be read ({type(error).__name__}): delete that folder and run the "
        "command again to prepare them anew."
    )


def _without_missing(tasks: Tasks) -> Tasks:
    """Leave out rows that lack a value or a label, moving the others up in place."""
    kept = np.empty(len(tasks.matrix), bool)
    step = max(READ_BYTES // (4 * tasks.num_features), 1)
    stop = 0
    for start in range(0, len(tasks.matrix), step):
        block = tasks.matrix[start : start + step]
        whole = ~np.isnan(block).any(axis=1)
        if tasks.labels is not None:
            whole &= tasks.labels[start : start + step] >= 0
        kept[start : start + step] = whole
        block = block[whole]
        tasks.matrix[stop : stop + len(block)] = block
        stop += len(block)
    before = np.concatenate([[0], np.cumsum(kept)])
    return dataclasses.replace(
        tasks,
        matrix=tasks.matrix[:stop],
        offsets=before[tasks.offsets],
        labels=None if tasks.labels is None else tasks.labels[kept],
    )


def _check(dataset: str, tasks: Tasks, missing: str) -> None:
    """Check what every later step trusts: finite numbers, and one name a feature."""
    names = tasks.feature_names
    if len(names) != tasks.num_features or len(set(names)) != len(names):
        raise UserError(
            f"{dataset} must name each of its {tasks.num_features} features once, but its metadata has "
            f"{len(set(names))} different names: {listed(names)}."
        )
    bad = [name for name in names if not name or len(name.splitlines()) != 1]
    if bad:
        raise UserError(f"{dataset} must name its features in one line each, but has {listed(bad)}.")
    for task, rows in tasks.rows_by_task().items():
        if not len(rows):
            continue
        values = tasks.matrix[rows[0] : rows[-1] + 1]
        wrong = np.argwhere(~np.isfinite(values) if missing == "error" else np.isinf(values))
        if len(wrong):
            row, column = wrong[0]
            raise UserError(
                f"{dataset} must hold finite numbers, but feature '{names[column]}' of row {row + 1} of task "
                f"{task} is {values[row, column]}: mend the data and prepare it again."
            )
