"""tf.data without its tuner and without its optimizer."""

import tensorflow as tf


def untuned(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Give the dataset without automatic tuning and rewriting, for one whose parallelism is fixed.

    The end of an iterator waits for its tuner to wake up, and that sleeps ever longer: after T seconds of use,
    for up to T seconds more. The optimizer copies what the dataset's functions hold, which may be all rows.
    """
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)
