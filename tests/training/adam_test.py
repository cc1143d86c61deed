import numpy as np
import pytest
import tensorflow as tf

from tffs.training.adam import Adam


def published_adam(x, gradients, rate, beta_1=0.9, beta_2=0.999, epsilon=1e-8):
    """Kingma and Ba, algorithm 1."""
    m, v = np.zeros_like(x), np.zeros_like(x)
    for t, g in enumerate(gradients, start=1):
        m = beta_1 * m + (1 - beta_1) * g
        v = beta_2 * v + (1 - beta_2) * g**2
        x = x - rate * (m / (1 - beta_1**t)) / (np.sqrt(v / (1 - beta_2**t)) + epsilon)
    return x


@pytest.mark.parametrize("jit", [True, False])
def test_updates_are_the_published_ones(jit, rng):
    start = rng.normal(size=(3, 4))
    # Tiny gradients make epsilon matter, which is where variants of Adam differ.
    gradients = rng.normal(size=(30, 3, 4)) * np.array([1.0, 1e-3, 1e-8, 0.0])
    variable = tf.Variable(start, dtype=tf.float32)
    optimizer = Adam([variable], 0.01)
    update = tf.function(lambda g, step: optimizer.apply([g], step), jit_compile=jit)
    for step, gradient in enumerate(gradients):
        update(tf.constant(gradient, tf.float32), tf.constant(step, tf.int64))
    np.testing.assert_allclose(variable, published_adam(start, gradients, 0.01), rtol=1e-3, atol=1e-5)
