"""What training minimizes: the reconstruction error (eq. 5), which is also the MSRE, or the cross-entropy."""

from collections.abc import Callable
from typing import Any, NamedTuple

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


def cross_entropy(labels: Any, logits: Any) -> tf.Tensor:
    """Average -log p(label) over rows and tasks.

    Args:
        labels: int [tasks, rows], from 0 to the number of classes - 1.
        logits: [tasks, rows, classes].

    Returns:
        float32 scalar.
    """
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


class Loss(NamedTuple):
    """What a training may minimize.

    Attributes:
        shown: what it is called where people read it on validation episodes.
        of: computes it from rows [tasks, rows, features], their labels int [tasks, rows] and what the decoder
            made of them; a loss reads what it needs.
    """

    shown: str
    of: Callable[[Any, Any, Any], tf.Tensor]


# By the names that the configuration lists (`tffs.config.run.LOSSES`).
LOSSES = {
    "reconstruction": Loss("MSRE", lambda rows, labels, decoded: reconstruction_error(rows, decoded)),
    "cross_entropy": Loss("loss", lambda rows, labels, decoded: cross_entropy(labels, decoded)),
}
