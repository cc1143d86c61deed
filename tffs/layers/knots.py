"""Tables over numbers of rows or features that are known at a few knots."""

from collections.abc import Sequence

import tensorflow as tf


def between(values: tf.Tensor, knots: Sequence[int]) -> tuple[tf.Tensor, tf.Tensor]:
    """Place numbers between knots, by the logarithms of 1 + both.

    Args:
        values: any shape, not negative; beyond the last knot they are there.
        knots: in ascending order, at least two.

    Returns:
        The knot below each value, int32, and how far it is towards the next, from 0 to 1.
    """
    places = tf.math.log1p(tf.constant(knots, tf.float32))
    here = tf.math.log1p(tf.clip_by_value(tf.cast(values, tf.float32), knots[0], knots[-1]))
    lower = tf.reduce_sum(tf.cast(here[..., None] >= places[1:-1], tf.int32), axis=-1)
    start = tf.gather(places, lower)
    return lower, (here - start) / (tf.gather(places, lower + 1) - start)


def interpolated(table: tf.Tensor, lower: tf.Tensor, share: tf.Tensor) -> tf.Tensor:
    """Give the entries of table [knots, ...] at places that `between` gives: [places, ...]."""
    share = tf.reshape(share, [-1] + [1] * (len(table.shape) - 1))
    return (1.0 - share) * tf.gather(table, lower) + share * tf.gather(table, lower + 1)
