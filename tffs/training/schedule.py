"""What a step depends on: the temperature (algorithm 1, line 3), and a learning rate that decays."""

import math
from collections.abc import Callable

import tensorflow as tf


def temperature(step: tf.Tensor, steps: int, initial: float, final: float) -> tf.Tensor:
    """Compute tau = T_0 (T_1 / T_0)^(i / I); a function of the step alone.

    Args:
        step: i, an integer scalar.
        steps: I.
        initial: T_0.
        final: T_1.

    Returns:
        float32 scalar.
    """
    return initial * tf.pow(final / initial, tf.cast(step, tf.float32) / float(steps))


def cosine_decay(rate: float, steps: int) -> Callable[[tf.Tensor], tf.Tensor]:
    """Let a learning rate fall from `rate` to 0 along half a cosine; a function of the step alone."""
    return lambda step: 0.5 * rate * (1.0 + tf.cos(math.pi / steps * tf.cast(step, tf.float32)))
