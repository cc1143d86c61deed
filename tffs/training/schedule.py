"""The temperature of a step (algorithm 1, line 3)."""

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
