"""The selection rules, and what is reported of a selection."""

import tensorflow as tf

from tffs.selection.choice import Choice
from tffs.selection.unique import select_unique


def select_argmax(log_alpha: tf.Tensor) -> tf.Tensor:
    """Take every selector's most likely feature, as the paper does; two selectors may take the same.

    Args:
        log_alpha: [tasks, K, M].

    Returns:
        int32 [tasks, K].
    """
    return tf.argmax(log_alpha, axis=-1, output_type=tf.int32)


SELECTIONS = {"argmax": select_argmax, "unique": select_unique}


def known_selection(selection: str) -> str:
    """Give `selection` back, or say which rules there are."""
    if selection not in SELECTIONS:
        raise ValueError(f"Expected one of {', '.join(SELECTIONS)}. Received: selection={selection!r}")
    return selection


def select(log_alpha: tf.Tensor, selection: str) -> tf.Tensor:
    """Choose a feature for every selector.

    Args:
        log_alpha: [tasks, K, M].
        selection: `argmax` or `unique`.

    Returns:
        int32 [tasks, K]; slot k is selector k's feature.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> log_alpha = np.array([[[0.0, 9.0, 1.0], [2.0, 5.0, 0.0]]])  # both selectors like feature 1 best
        >>> tffs.select(log_alpha, "argmax").numpy()
        array([[1, 1]], dtype=int32)
        >>> tffs.select(log_alpha, "unique").numpy()
        array([[1, 0]], dtype=int32)
    """
    return SELECTIONS[known_selection(selection)](log_alpha)


def choice_of(log_alpha: tf.Tensor, selection: str) -> Choice:
    """Choose a feature for every selector and score it; for the arguments see `select`."""
    indices = select(log_alpha, selection)
    finite = tf.reduce_all(tf.math.is_finite(log_alpha), axis=[1, 2])
    return Choice(indices, tf.where(finite[:, None], scores_of(log_alpha, indices), float("nan")))


def scores_of(log_alpha: tf.Tensor, indices: tf.Tensor) -> tf.Tensor:
    """Give softmax(log_alpha^(k)) at the chosen features: float32 [tasks, K]."""
    probability = tf.nn.softmax(tf.cast(log_alpha, tf.float32), axis=-1)
    return tf.gather(probability, indices, axis=-1, batch_dims=2)


def distinct_count(indices: tf.Tensor) -> tf.Tensor:
    """Count the distinct features of each task's selection: int32 [tasks]."""
    ordered = tf.sort(indices, axis=-1)
    return 1 + tf.reduce_sum(tf.cast(ordered[:, 1:] != ordered[:, :-1], tf.int32), axis=-1)


def values_of(rows: tf.Tensor, indices: tf.Tensor) -> tf.Tensor:
    """Read the selected features of rows.

    Args:
        rows: [tasks, rows, M].
        indices: int32 [tasks, K].

    Returns:
        [tasks, rows, K], in the selectors' order.
    """
    return tf.gather(rows, indices, axis=2, batch_dims=1)
