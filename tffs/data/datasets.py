"""Prepare a dataset with its TFDS builder and load it as tasks."""

import contextlib
import io
import os

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

import data_builders
from tffs.data.tasks import Tasks
from tffs.errors import UserError


def prepare(dataset: str, data_dir: str) -> tfds.core.DatasetBuilder:
    """Make sure that `dataset` lies prepared below `data_dir`.

    TFDS writes into a folder of its own and renames it at the end, so an interrupted preparation
    leaves nothing that looks prepared.

    Args:
        dataset: a name from `data_builders.available()`.
        data_dir: where prepared datasets are kept.

    Returns:
        The builder, ready to be read.
    """
    data_dir = os.path.expanduser(data_dir)
    tfds.disable_progress_bar()
    try:
        builder = data_builders.builder(dataset, data_dir)
        with contextlib.redirect_stdout(io.StringIO()):  # TFDS prints its notes to standard output
            builder.download_and_prepare()
    except (OSError, tf.errors.OpError) as error:
        raise UserError(
            f"--data_dir={data_dir} must be a folder where datasets can be written, but preparing {dataset} "
            f"failed ({error}): choose another folder or free some space."
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
    return Tasks(
        matrix=np.concatenate([part["x"] for part in parts]),
        feature_names=tuple(builder.info.metadata["feature_names"]),
        task_names=names,
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        labels=np.concatenate([part["label"] for part in parts]),
    )
