import numpy as np
import pytest
import tensorflow as tf

from tests.layers import oracles
from tffs.layers import ConcreteSelect


@pytest.fixture
def inputs(rng):
    query = rng.random((2, 5, 6), dtype=np.float32)
    log_alpha = rng.normal(size=(2, 3, 6)).astype(np.float32)
    noise = rng.gumbel(size=(2, 3, 6)).astype(np.float32)
    return query, log_alpha, noise


def test_equations_1_and_2_number_by_number(inputs):
    query, log_alpha, noise = inputs
    u = ConcreteSelect()(query, log_alpha, tau=0.8, noise=noise)
    z = oracles.concrete(log_alpha, 0.8, noise)
    expected = np.array([[[x @ z_k for z_k in z[d]] for x in query[d]] for d in range(2)])
    np.testing.assert_allclose(u, expected, rtol=1e-5)


def test_large_tau_mixes_all_features_evenly(inputs):
    query, log_alpha, noise = inputs
    u = np.asarray(ConcreteSelect()(query, log_alpha, tau=1e6, noise=noise))
    np.testing.assert_allclose(u, np.repeat(query.mean(-1, keepdims=True), 3, -1), rtol=1e-4)


def test_small_tau_passes_the_argmax_feature(inputs):
    query, log_alpha, noise = inputs
    u = np.asarray(ConcreteSelect()(query, log_alpha, tau=1e-4, noise=noise))
    chosen = (log_alpha + noise).argmax(-1)
    for task in range(2):
        np.testing.assert_allclose(u[task], query[task][:, chosen[task]], rtol=1e-6)


def test_gradients_are_finite_at_the_final_temperature_and_extreme_noise(inputs):
    query, log_alpha, noise = inputs
    noise[0, 0, 0], noise[0, 0, 1] = 16.6, -2.8  # the ends that clipping leaves
    log_alpha = tf.Variable(100.0 * log_alpha)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(ConcreteSelect()(query, log_alpha, tau=0.01, noise=noise) ** 2)
    assert np.isfinite(tape.gradient(loss, log_alpha).numpy()).all()


def test_a_forward_pass_changes_nothing(inputs):
    query, log_alpha, _ = inputs
    layer = ConcreteSelect()
    first = layer(query, log_alpha, tau=0.5)
    np.testing.assert_array_equal(first, layer(query, log_alpha, tau=0.5))
    assert layer.variables == []
