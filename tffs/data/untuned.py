"""tf.data without its tuner."""

import tensorflow as tf


def untuned(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Give the dataset without automatic tuning, for one whose parallelism is fixed.

    The end of an iterator waits for its tuner to wake up, and that sleeps ever longer: after T seconds of use,
    for up to T seconds more.
    """
    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.with_options(options)
