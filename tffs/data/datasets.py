"""Prepare a dataset with its TFDS builder and load it as tasks."""

import contextlib
import fcntl
import io
import os
from collections.abc import Iterator

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

import data_builders
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed, reason


def prepare(dataset: str, data_dir: str) -> tfds.core.DatasetBuilder:
    """Make sure that `dataset` lies prepared below `data_dir`.

    TFDS writes into a folder of its own and renames it at the end, so an interrupted preparation
    leaves nothing that looks prepared. Processes that ask at the same time wait for the first.

    Args:
        dataset: a name from `data_builders.available()`.
        data_dir: where prepared datasets are kept.

    Returns:
        The builder, ready to be read.
    """
    data_dir = os.path.expanduser(data_dir)
    tfds.disable_progress_bar()
    try:
        with _one_at_a_time(data_dir, dataset):
            builder = data_builders.builder(dataset, data_dir)
            with contextlib.redirect_stdout(io.StringIO()):  # TFDS prints its notes to standard output
                builder.download_and_prepare()
    except (OSError, tf.errors.OpError) as error:
        raise UserError(
            f"--data_dir={data_dir} must be a folder where datasets can be written, but preparing {dataset} "
            f"failed ({reason(error)}): choose another folder or free some space."
        ) from error
    return builder


def load(dataset: str, data_dir: str) -> Tasks:
    """Prepare `dataset` if need be and read all its tasks; a split is a task."""
    builder = prepare(dataset, data_dir)
    names = tuple(builder.info.splits)
    try:
        parts = [tfds.as_numpy(builder.as_dataset(split=name, batch_size=-1)) for name in names]
    except (OSError, tf.errors.OpError) as error:
        raise UserError(
            f"The prepared files of {dataset} in {builder.data_path} cannot be read "
            f"({type(error).__name__}): delete that folder and run the command again to prepare them anew."
        ) from error
    counts = [len(part["x"]) for part in parts]
    labelled = all("label" in part for part in parts)
    tasks = Tasks(
        matrix=np.concatenate([part["x"] for part in parts]),
        feature_names=tuple(builder.info.metadata["feature_names"]),
        task_names=names,
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        labels=np.concatenate([part["label"] for part in parts]) if labelled else None,
    )
    _check(dataset, tasks)
    return tasks


def _check(dataset: str, tasks: Tasks) -> None:
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
        wrong = np.argwhere(~np.isfinite(tasks.matrix[rows[0] : rows[-1] + 1]))
        if len(wrong):
            row, column = wrong[0]
            raise UserError(
                f"{dataset} must hold finite numbers, but feature '{names[column]}' of row {row + 1} of task "
                f"{task} is {tasks.matrix[rows[0] + row, column]}: mend the data and prepare it again."
            )


@contextlib.contextmanager
def _one_at_a_time(data_dir: str, dataset: str) -> Iterator[None]:
    os.makedirs(data_dir, exist_ok=True)
    with open(os.path.join(data_dir, f".{dataset}.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
