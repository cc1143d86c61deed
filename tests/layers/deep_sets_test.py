import numpy as np
import tensorflow as tf

from tests.layers import oracles
from tffs.layers import DeepSets


def weights_of(layer):
    return [v.numpy() for v in (layer.embedding.kernel, layer.embedding.bias)]


def with_bias(layer):
    """Make f(0) differ from 0, as it does after training."""
    layer.embedding.bias.assign(np.linspace(0.1, 0.5, layer.embedding_units))
    return layer


def test_sum_pooling_number_by_number(rng):
    support = rng.normal(size=(3, 4, 5)).astype(np.float32)
    layer = DeepSets(6, 2, seed=0)
    layer.build(support.shape)
    with_bias(layer)
    kernel, bias = weights_of(layer)
    sums = np.stack([oracles.pooled(rows, kernel, bias) for rows in support])
    expected = sums @ layer.transform.kernel.numpy() + layer.transform.bias.numpy()
    np.testing.assert_allclose(layer(support), expected, rtol=1e-5, atol=1e-6)


def test_order_of_rows_does_not_matter(rng):
    support = rng.normal(size=(2, 6, 5)).astype(np.float32)
    layer = DeepSets(8, 3, seed=0)
    np.testing.assert_allclose(layer(support), layer(support[:, rng.permutation(6)]), rtol=1e-5, atol=1e-6)


def test_masked_padding_equals_no_padding_whatever_it_holds(rng):
    support = rng.normal(size=(2, 3, 5)).astype(np.float32)
    layer = DeepSets(8, 3, seed=0)
    expected = layer(support)
    with_bias(layer)
    expected = np.asarray(layer(support))
    mask = np.array([[True, True, True, False, False]] * 2)
    for filler in (0.0, 7.0, np.nan, np.inf):
        padded = np.concatenate([support, np.full((2, 2, 5), filler, np.float32)], axis=1)
        np.testing.assert_allclose(layer(padded, mask=mask), expected, rtol=1e-6)
    zeros = np.concatenate([support, np.zeros((2, 2, 5), np.float32)], axis=1)
    assert np.abs(np.asarray(layer(zeros)) - expected).max() > 0.01  # unmasked padding is not neutral


def test_nan_in_masked_padding_does_not_reach_a_gradient(rng):
    support = rng.normal(size=(1, 3, 5)).astype(np.float32)
    support[0, 2] = np.nan
    layer = DeepSets(4, 2, seed=0)
    layer.build(support.shape)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(support, mask=np.array([[True, True, False]])))
    for gradient in tape.gradient(loss, [v.value for v in layer.trainable_variables]):
        assert np.isfinite(gradient.numpy()).all()


def test_batch_of_tasks_equals_one_by_one(rng):
    support = rng.normal(size=(4, 3, 5)).astype(np.float32)
    layer = DeepSets(8, 3, seed=0)
    one_by_one = np.concatenate([layer(support[i : i + 1]) for i in range(4)])
    np.testing.assert_allclose(layer(support), one_by_one, rtol=1e-5, atol=1e-6)
