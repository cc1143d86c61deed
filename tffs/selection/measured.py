"""Put what was measured in the place of what was inferred."""

import tensorflow as tf


def with_measured(inferred: tf.Tensor, values: tf.Tensor, indices: tf.Tensor) -> tf.Tensor:
    """Give measured features as they were measured, and the others as they were inferred.

    Args:
        inferred: [tasks, rows, M].
        values: [tasks, rows, K]; one that is NaN was not measured.
        indices: int32 [tasks, K], which feature each value is of; of a feature that is named twice, the first
            value counts.

    Returns:
        [tasks, rows, M].
    """
    features = tf.range(tf.shape(inferred)[-1])
    matches = indices[:, :, None] == features  # [tasks, K, M]
    slot = tf.argmax(tf.cast(matches, tf.int32), axis=1, output_type=tf.int32)  # the first of several
    known = tf.gather(tf.cast(values, inferred.dtype), slot, axis=2, batch_dims=1)
    measured = tf.reduce_any(matches, axis=1)[:, None, :] & ~tf.math.is_nan(known)
    return tf.where(measured, known, inferred)
