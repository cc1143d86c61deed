"""A dataset as the records that the pipeline reads: one named float a column, a folder a split."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from data_builders.table.row_examples import entries_of, example_of, feature_of, messages
from pipelines.columns import HELD_OUT, LABEL, SOURCE, TASK
from tffs.config import DataPlace, RunConfig
from tffs.data.datasets import open_dataset
from tffs.data.splits import choose_tasks
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed, reason
from tffs.planning.plan import named, no_median, plan
from tffs.whole_file import staging

SPAN = "span-"
ABOUT = "about.json"
LAYOUT = 1  # of a span: another one writes a new span
CELLS = 2**18  # serialized at a time


def write_input(
    run: RunConfig, place: DataPlace, held_out: tuple[str, ...], folder: str, say: Callable[[str], None]
) -> str:
    """Make sure that the newest span holds a dataset; a new span is written only if it does not.

    Args:
        run: names the dataset, and says what to do about missing values.
        place: where the rows come from.
        held_out: the tasks to hold out; one is drawn from the seed if empty.
        folder: of the spans.
        say: receives one-sentence notes for the person.

    Returns:
        The span's path.
    """
    dataset = open_dataset(run.data.dataset, place, say)
    dataset.check(run.data.missing, say)
    tasks = dataset.load(place, run.data.missing, say)
    reserved = sorted({TASK, LABEL} & set(tasks.feature_names))
    if reserved:
        raise UserError(
            f"The pipeline keeps the names '{TASK}' and '{LABEL}' for itself, but a feature is called "
            f"{listed(reserved)}: give that column another name."
        )
    unknown = [name for name in held_out if name not in tasks.task_names]
    if unknown:
        raise UserError(
            f"The tasks to hold out must be in the data, but {listed(unknown)} is not; its tasks: "
            f"{listed(tasks.task_names, 20)}."
        )
    if not held_out:
        drawn, _ = choose_tasks(tasks.task_names, None, run.data.validation_task, run.data.validation, run.seed)
        assert drawn is not None
        held_out = (drawn,)
    if len(held_out) == len(tasks.task_names):
        raise UserError(f"All {len(held_out)} tasks are held out, so none is left to train on: hold out fewer.")
    _check_sizes(named(run, dataset.name), tasks, held_out)
    about = {
        "layout": LAYOUT,
        "dataset": dataset.name,
        "version": dataset.version,
        "missing": run.data.missing,
        "held_out": sorted(held_out),
    }
    newest = newest_span(folder)
    if newest is not None and _about(newest) == about:
        return newest
    if run.data.missing == "median":
        _check_medians(tasks, held_out)
    number = 1 if newest is None else _number(os.path.basename(newest)) + 1
    return _write_span(tasks, held_out, about, os.path.join(folder, f"{SPAN}{number}"))


def newest_span(folder: str) -> str | None:
    """Find the span with the greatest number."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    newest = max((name for name in names if _number(name) >= 0), key=_number, default=None)
    return None if newest is None else os.path.join(folder, newest)


def dataset_of(folder: str) -> str | None:
    """Name the dataset that the newest span was written from; None for records that were brought."""
    span = newest_span(folder)
    about = None if span is None else _about(span)
    return about.get("dataset") if isinstance(about, dict) else None


def check_input(folder: str) -> None:
    """Check that the newest span has records for both splits, which TFX itself does not."""
    span = newest_span(folder)
    if span is None:
        raise UserError(f"{folder} must hold folders {SPAN}1, {SPAN}2, ... with records, but it holds none.")
    for split in (SOURCE, HELD_OUT):
        path = os.path.join(span, split)
        files = sorted(os.listdir(path)) if os.path.isdir(path) else []
        if not any(os.path.getsize(os.path.join(path, file)) for file in files):
            raise UserError(
                f"{path} must hold TFRecords of the split '{split}', but it is empty: write the span again, or "
                "delete it to use the one before."
            )


def check_records(folder: str) -> None:
    """Read the newest span through and name a file that is damaged, which Beam does not."""
    span = newest_span(folder)
    for split in (SOURCE, HELD_OUT) if span else ():
        path = os.path.join(str(span), split)
        for file in sorted(os.listdir(path)):
            try:
                packed = "GZIP" if file.endswith(".gz") else None  # as Beam tells it
                for _ in tf.data.TFRecordDataset(os.path.join(path, file), packed):
                    pass
            except tf.errors.OpError as error:
                raise UserError(
                    f"{os.path.join(path, file)} is no whole TFRecord ({reason(error)}): write the span again, "
                    "or delete it to use the one before."
                ) from error


def serialize(x: np.ndarray, names: Sequence[str], tasks: Sequence[str], labels: np.ndarray | None) -> Any:
    """Serialize rows as Examples with one named float a column.

    Args:
        x: float32 [rows, features]; NaN leaves the feature out.
        names: one a column.
        tasks: one a row.
        labels: int64 [rows], or None; negative ones are left out.

    Returns:
        bytes [rows].
    """
    rows, features = x.shape
    cells = feature_of("float_list", "FloatList", x.reshape(-1, 1), there=~np.isnan(x.reshape(-1)))
    keys = tf.tile(tf.constant(list(names)), [rows])[:, None]
    columns = messages("Features.FeatureEntry", key=keys, value=cells[:, None])
    others = {TASK: feature_of("bytes_list", "BytesList", tf.constant(list(tasks))[:, None])}
    if labels is not None:
        others[LABEL] = feature_of("int64_list", "Int64List", labels[:, None], there=labels >= 0)
    return example_of(tf.concat([tf.reshape(columns, [rows, features]), entries_of(others)], axis=1)).numpy()


def _check_sizes(run: RunConfig, tasks: Tasks, held_out: Sequence[str]) -> None:
    """Say now what would end the Trainer or the evaluator: too few rows, features or tasks."""
    counts = dict(zip(tasks.task_names, np.diff(tasks.offsets).tolist(), strict=True))
    source = {name: count for name, count in counts.items() if name not in held_out}
    sizes = Tasks.of_sizes(tasks.feature_names, tuple(source), list(source.values()))
    plan(run, sizes, lambda sentence: None)
    for name in held_out:
        if counts[name] <= run.data.support_size:
            raise UserError(too_few_rows(name, counts[name], run.data.support_size))


def too_few_rows(task: str, rows: int, support_size: int) -> str:
    """Say that a held-out task cannot be evaluated on."""
    return (
        f"The held-out task {task} has {rows} rows, but evaluating takes more than the {support_size} of a "
        "support set: bring more, or hold out another task."
    )


def _check_medians(tasks: Tasks, held_out: Sequence[str]) -> None:
    """Check that every feature has a value in the source tasks."""
    seen = np.zeros(tasks.num_features, bool)
    for name, rows in tasks.rows_by_task().items():
        for part in () if name in held_out else _parts(rows, tasks.num_features):
            seen |= ~np.isnan(tasks.matrix[part]).all(axis=0)
    if not seen.all():
        raise UserError(no_median([tasks.feature_names[feature] for feature in np.flatnonzero(~seen)]))


def _parts(rows: np.ndarray, features: int) -> Iterator[np.ndarray]:
    """Cut the rows of a task into parts that are read at a time."""
    step = max(CELLS // features, 1)
    return (rows[first : first + step] for first in range(0, len(rows), step))


def _write_span(tasks: Tasks, held_out: tuple[str, ...], about: dict[str, Any], path: str) -> str:
    """Write a span, whole or not at all."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        with staging(folder) as stage:
            part = os.path.join(stage, os.path.basename(path))
            for split in (SOURCE, HELD_OUT):
                os.makedirs(os.path.join(part, split))
                path_of_rows = os.path.join(part, split, "rows-00000-of-00001.tfrecord")
                with tf.io.TFRecordWriter(path_of_rows) as writer:
                    for record in _records(tasks, [name in held_out for name in tasks.task_names], split):
                        writer.write(record)
            with open(os.path.join(part, ABOUT), "w", encoding="utf-8") as file:
                json.dump(about, file, indent=1)
            os.rename(part, path)
    except (OSError, tf.errors.OpError) as error:
        raise UserError(
            f"The records could not be written to {folder} ({reason(error)}): free some space or choose "
            "another --pipeline_root; spans that were there are untouched."
        ) from error
    return path


def _records(tasks: Tasks, held_out: list[bool], split: str) -> Iterator[bytes]:
    for (name, rows), out in zip(tasks.rows_by_task().items(), held_out, strict=True):
        if out != (split == HELD_OUT):
            continue
        for part in _parts(rows, tasks.num_features):
            labels = None if tasks.labels is None else tasks.labels[part]
            yield from serialize(tasks.matrix[part], tasks.feature_names, [name] * len(part), labels)


def _about(span: str) -> Any:
    try:
        with open(os.path.join(span, ABOUT), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def _number(name: str) -> int:
    """Give the number of a span by the name of its folder; -1 for another folder."""
    digits = name.removeprefix(SPAN)
    return int(digits) if name.startswith(SPAN) and digits.isdecimal() else -1
