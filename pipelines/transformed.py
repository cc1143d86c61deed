"""What Transform has learned."""

import numpy as np
import tensorflow as tf
import tensorflow_transform as tft

from pipelines.columns import STATISTICS, feature_order
from tffs.data.source_statistics import SourceStatistics


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


def _no_value(spec: tf.io.FixedLenFeature | tf.io.VarLenFeature) -> tf.Tensor | tf.SparseTensor:
    """Make the value of a column in a row that names no task."""
    if isinstance(spec, tf.io.VarLenFeature):
        return tf.SparseTensor(np.zeros([0, 2], np.int64), tf.zeros([0], spec.dtype), [1, 1])
    empty = "" if spec.dtype == tf.string else 0
    return tf.fill([1, *spec.shape], tf.constant(empty, spec.dtype))
