"""The rows that Transform has scaled, on the disk in the order of their tasks: more than memory may hold."""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np
import tensorflow as tf

from pipelines.columns import LABEL, ROWS, TASK
from pipelines.row_order import digests, offsets_of, task_order
from tffs.data.batches import batch_rows
from tffs.data.tasks import Tasks
from tffs.errors import UserError, reason


class _Arrived(NamedTuple):
    """What is kept in memory of the rows in a scratch file, in the order in which they were read.

    Attributes:
        names: of the tasks, sorted.
        codes: int32 [rows], the task of each.
        digested: of each row's content.
        labels: int64 [rows], -1 where there is none.
    """

    names: tuple[str, ...]
    codes: np.ndarray
    digested: np.ndarray
    labels: np.ndarray


def read_scaled(files: list[str], feature_names: tuple[str, ...], folder: str) -> Tasks:
    """Read the scaled rows of all tasks, in an order that does not depend on how Beam wrote them.

    The examples are read once, a batch at a time. Their rows go to a file without a name in `folder`, which is
    gone with the process, and from there, sorted, to another one. Memory holds a few bytes a row, and batches.

    Args:
        files: patterns, as TFX gives them.
        feature_names: one a column.
        folder: where there is room for the rows twice; it is made if it is not there.

    Returns:
        The tasks. Their matrix is mapped from the file: its pages are read as they are asked for.
    """
    width = len(feature_names)
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as scratch, tempfile.TemporaryFile(dir=folder) as kept:
            arrived = _spooled(_batches(files, width), scratch)
            order = task_order(arrived.codes, arrived.digested)
            unsorted = _mapped(scratch, len(order), width)
            step = batch_rows(width)
            for start in range(0, len(order), step):
                kept.write(unsorted[order[start : start + step]].tobytes())
            kept.flush()
            matrix = _mapped(kept, len(order), width)
    except OSError as error:
        raise UserError(
            f"The transformed examples could not be sorted in {folder} ({reason(error)}): they need room "
            "twice; free some space there, and run again."
        ) from error
    except tf.errors.OpError as error:
        raise UserError(
            f"The transformed examples cannot be read ({reason(error)}): run Transform again."
        ) from error
    labels = arrived.labels[order] if (arrived.labels >= 0).any() else None
    offsets = offsets_of(arrived.codes, len(arrived.names))
    return Tasks(matrix, feature_names, arrived.names, offsets, labels)


def fingerprint(tasks: Tasks) -> str:
    """Give a digest of all that rows, tasks and features are."""
    about = json.dumps((tasks.feature_names, tasks.task_names, tasks.offsets.tolist()))
    digested = hashlib.sha256(about.encode())
    step = batch_rows(tasks.num_features)
    for start in range(0, len(tasks.matrix), step):
        rows = np.arange(start, min(start + step, len(tasks.matrix)))
        digested.update(np.ascontiguousarray(tasks.matrix[rows]).data)
    return digested.hexdigest()


def _batches(files: list[str], width: int) -> Iterator[dict[str, np.ndarray]]:
    """Parse the examples of all files, a batch at a time."""
    spec = {
        ROWS: tf.io.FixedLenFeature([width], tf.float32),
        TASK: tf.io.FixedLenFeature([], tf.string),
        LABEL: tf.io.FixedLenFeature([], tf.int64, default_value=-1),
    }
    paths = sorted(tf.io.gfile.glob(files))
    records = tf.data.TFRecordDataset(paths, compression_type="GZIP").batch(batch_rows(width))
    for batch in records.map(lambda batch: tf.io.parse_example(batch, spec)):
        yield {name: values.numpy() for name, values in batch.items()}


def _spooled(batches: Iterator[dict[str, np.ndarray]], scratch: IO[bytes]) -> _Arrived:
    """Write all rows to a scratch file, and keep of each what its place depends on."""
    numbers: dict[bytes, int] = {}
    codes, digested, labels = [], [], []
    for batch in batches:
        scratch.write(batch[ROWS].tobytes())
        names, inverse = np.unique(batch[TASK], return_inverse=True)
        codes.append(np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int32)[inverse])
        digested.append(digests(batch[ROWS]))
        labels.append(batch[LABEL])
    if not codes:
        raise UserError("There are no transformed examples to train on: the source split is empty.")
    scratch.flush()
    in_order = sorted(numbers)
    ranks = np.empty(len(in_order), np.int32)
    ranks[[numbers[name] for name in in_order]] = np.arange(len(in_order))
    return _Arrived(
        tuple(name.decode() for name in in_order),
        ranks[np.concatenate(codes)],
        np.concatenate(digested),
        np.concatenate(labels),
    )


def _mapped(file: IO[bytes], rows: int, width: int) -> np.ndarray:
    """Map a file of rows into memory; what is written to the map would not reach the file."""
    return np.memmap(file, np.float32, "c", shape=(rows, width))
