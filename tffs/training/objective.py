"""The reconstruction error: training loss (eq. 5) and MSRE alike."""

from typing import Any

import tensorflow as tf


def reconstruction_error(rows: Any, reconstruction: Any) -> tf.Tensor:
    """Sum squared errors over features, average over rows and tasks: the scale of the paper's tables.

    Args:
        rows: [tasks, rows, features].
        reconstruction: the same shape.

    Returns:
        float32 scalar.
    """
    return tf.reduce_mean(tf.reduce_sum(tf.math.squared_difference(rows, reconstruction), axis=-1))
