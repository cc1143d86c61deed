"""What Transform has learned, and the rows it has scaled."""

import numpy as np
import tensorflow as tf
import tensorflow_transform as tft

from pipelines.columns import LABEL, ROWS, STATISTICS, TASK, feature_order
from tffs.data.source_statistics import SourceStatistics
from tffs.data.tasks import Tasks
from tffs.errors import UserError, reason

READ_ROWS = 4096


def learned(transform_graph: str) -> tuple[tuple[str, ...], SourceStatistics]:
    """Ask a transform graph for its features' names and what the source rows look like.

    Args:
        transform_graph: the folder that Transform wrote.
    """
    output = tft.TFTransformOutput(transform_graph)
    asking = {name: _no_value(spec) for name, spec in output.raw_feature_spec().items()}
    names = tuple(feature_order(asking))
    answer = output.transform_raw_features(asking)[STATISTICS]
    figures = tf.sparse.to_dense(answer).numpy().reshape(5, len(names))
    return names, SourceStatistics(*figures)


def read_scaled(files: list[str], feature_names: tuple[str, ...]) -> Tasks:
    """Read the scaled rows of all tasks.

    Their order within a task goes by their content, so that what is drawn from them does not depend on how
    Beam happened to write them.

    Args:
        files: patterns, as TFX gives them.
        feature_names: one a column.
    """
    paths = sorted(tf.io.gfile.glob(files))
    parts: dict[str, list[np.ndarray]] = {ROWS: [], TASK: [], LABEL: []}
    spec = {
        ROWS: tf.io.FixedLenFeature([len(feature_names)], tf.float32),
        TASK: tf.io.FixedLenFeature([], tf.string),
        LABEL: tf.io.FixedLenFeature([], tf.int64, default_value=-1),
    }
    records = tf.data.TFRecordDataset(paths, compression_type="GZIP").batch(READ_ROWS)
    try:
        for batch in records.map(lambda record: tf.io.parse_example(record, spec)):
            for name, values in batch.items():
                parts[name].append(values.numpy())
    except tf.errors.OpError as error:
        raise UserError(
            f"The transformed examples cannot be read ({reason(error)}): run Transform again."
        ) from error
    if not parts[ROWS]:
        raise UserError("There are no transformed examples to train on: the source split is empty.")
    rows, tasks, labels = (np.concatenate(parts[name]) for name in (ROWS, TASK, LABEL))
    return as_tasks(rows, tasks, labels if (labels >= 0).any() else None, feature_names)


def as_tasks(
    rows: np.ndarray, tasks: np.ndarray, labels: np.ndarray | None, feature_names: tuple[str, ...]
) -> Tasks:
    """Sort rows by task, and within a task by content.

    Args:
        rows: float32 [rows, features].
        tasks: bytes [rows].
        labels: int64 [rows], or None.
        feature_names: one a column.
    """
    contents = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.itemsize * rows.shape[1])))[:, 0]
    order = np.argsort(contents, kind="stable")
    order = order[np.argsort(tasks[order], kind="stable")]
    names, counts = np.unique(tasks, return_counts=True)
    return Tasks(
        rows[order],
        feature_names,
        tuple(name.decode() for name in names),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        None if labels is None else labels[order],
    )


def _no_value(spec: tf.io.FixedLenFeature | tf.io.VarLenFeature) -> tf.Tensor | tf.SparseTensor:
    """Make the value of a column in a row that names no task."""
    if isinstance(spec, tf.io.VarLenFeature):
        return tf.SparseTensor(np.zeros([0, 2], np.int64), tf.zeros([0], spec.dtype), [1, 1])
    empty = "" if spec.dtype == tf.string else 0
    return tf.fill([1, *spec.shape], tf.constant(empty, spec.dtype))
