"""What training minimizes: the reconstruction error (eq. 5), which is also the MSRE, or the cross-entropy."""

from typing import Any

import tensorflow as tf

# What each loss is called where people read it on validation episodes.
SHOWN_NAMES = {"reconstruction": "MSRE", "cross_entropy": "loss"}


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


def loss_of(loss: str, rows: Any, labels: Any, decoded: Any) -> tf.Tensor:
    """Compute a loss by its name.

    Args:
        loss: `reconstruction` or `cross_entropy`.
        rows: [tasks, rows, features]; a cross-entropy does not read them.
        labels: int [tasks, rows]; a reconstruction error does not read them.
        decoded: what the decoder made of the rows.

    Returns:
        float32 scalar.
    """
    return cross_entropy(labels, decoded) if loss == "cross_entropy" else reconstruction_error(rows, decoded)
