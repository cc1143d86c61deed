"""Transform's module: the core's scaling, learned from the source split."""

from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_transform as tft

from pipelines.columns import LABEL, ROWS, STATISTICS, TASK, feature_order
from tffs.data.source_statistics import SourceStatistics
from tffs.layers.scaling import factor_of, filled, scaled

MEDIAN_ERROR = 1e-4  # how far, as a share of the rows, a median may be from the middle


def preprocessing_fn(inputs: dict[str, Any], custom_config: dict[str, Any]) -> dict[str, Any]:
    """Scale all features and join them to one.

    Args:
        inputs: one tensor a column, [rows, 1], sparse where values are missing.
        custom_config: `scaling` and `missing`, as the flags have them.

    Returns:
        The scaled rows, their tasks and labels, and `statistics`, which is empty for every row of a task: a row
        without a task asks for it (see `pipelines.transformed`), because a graph has no other way to tell what
        it has learned.
    """
    names = feature_order(inputs)
    rows = tf.ensure_shape(tf.concat([_column(inputs[name]) for name in names], axis=1), [None, len(names)])
    tasks = _column(inputs[TASK], "")
    impute = custom_config["missing"] == "median"
    statistics = _statistics(rows, impute)
    offset, width = statistics.offset_and_width(custom_config["scaling"])
    whole = filled(rows, statistics.median) if impute else rows
    figures = (statistics.low, statistics.high, statistics.mean, statistics.stddev, statistics.median)
    outputs = {
        ROWS: scaled(whole, offset, factor_of(width)),
        TASK: tasks,
        STATISTICS: _for_rows_without_task(tasks, tf.concat(figures, axis=0)),
    }
    if LABEL in inputs:
        outputs[LABEL] = _column(inputs[LABEL], -1)
    return outputs


def _column(values: Any, missing: Any = np.nan) -> tf.Tensor:
    if not isinstance(values, tf.SparseTensor):
        return tf.reshape(values, [-1, 1])
    one_a_row = tf.SparseTensor(values.indices, values.values, [values.dense_shape[0], 1])
    return tf.sparse.to_dense(one_a_row, default_value=tf.cast(missing, values.dtype))


def _statistics(rows: tf.Tensor, impute: bool) -> SourceStatistics:
    width = rows.shape[1]
    median = tf.zeros([width])
    if impute:
        middle = tft.quantiles(rows, 2, MEDIAN_ERROR, reduce_instance_dims=False)
        median = tf.reshape(middle, [width])
        rows = filled(rows, median)
    low, high = tft.min(rows, reduce_instance_dims=False), tft.max(rows, reduce_instance_dims=False)
    exact = tf.cast(rows, tf.float64)
    mean, variance = tft.mean(exact, reduce_instance_dims=False), tft.var(exact, reduce_instance_dims=False)
    stddev = tf.where(low == high, 0.0, tf.cast(tf.sqrt(variance), tf.float32))
    return SourceStatistics(low, high, tf.cast(mean, tf.float32), stddev, median)


def _for_rows_without_task(tasks: tf.Tensor, figures: tf.Tensor) -> tf.SparseTensor:
    """Give `figures` to rows that name no task, and nothing to all others."""
    rows = tf.where(tasks[:, 0] == "")[:, 0]
    count = tf.size(figures, out_type=tf.int64)
    places = tf.stack(tf.meshgrid(rows, tf.range(count), indexing="ij"), axis=-1)
    shape = tf.stack([tf.shape(tasks, out_type=tf.int64)[0], count])
    values = tf.tile(figures, [tf.size(rows)])
    return tf.SparseTensor(tf.reshape(places, [-1, 2]), values, shape)
