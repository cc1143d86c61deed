import numpy as np

from tests.layers import oracles
from tffs.layers import TaskSelector


def test_equation_3_number_by_number(rng):
    support = rng.random((2, 3, 7), dtype=np.float32)
    layer = TaskSelector(4, selector_dim=5, embedding_units=6, seed=3)
    layer.build(support.shape)
    layer.bias.assign(rng.normal(size=7))
    layer.pool.embedding.bias.assign(rng.normal(size=6))
    g_kernel = np.concatenate([layer.support_kernel.numpy(), layer.pi_kernel.numpy()])
    embedding = layer.pool.embedding
    expected = [
        oracles.log_alpha(
            rows,
            embedding.kernel.numpy(),
            embedding.bias.numpy(),
            g_kernel,
            layer.bias.numpy(),
            layer.pi.numpy(),
        )
        for rows in support
    ]
    np.testing.assert_allclose(layer(support), expected, rtol=1e-4, atol=1e-6)


def test_the_two_kernels_are_initialised_as_the_one_they_are():
    layer = TaskSelector(4, selector_dim=300, embedding_units=64, seed=3)
    layer.build((None, None, 256))
    limit = np.sqrt(6.0 / (64 + 300 + 256))
    for kernel in (layer.support_kernel.numpy(), layer.pi_kernel.numpy()):
        assert np.abs(kernel).max() <= limit
        assert np.abs(kernel).max() > 0.95 * limit


def test_pi_is_drawn_with_its_standard_deviation():
    layer = TaskSelector(50, selector_dim=300, pi_stddev=0.05, seed=3)
    layer.build((None, None, 8))
    np.testing.assert_allclose(layer.pi.numpy().std(), 0.05, rtol=0.05)
    np.testing.assert_allclose(layer.pi.numpy().mean(), 0.0, atol=0.002)


def test_no_two_weights_share_their_numbers():
    layer = TaskSelector(6, selector_dim=6, embedding_units=6, seed=3)
    layer.build((None, None, 6))
    weights = [v.numpy() / np.abs(v.numpy()).max() for v in layer.trainable_variables if v.ndim == 2]
    for i, first in enumerate(weights):
        for second in weights[i + 1 :]:
            assert np.abs(first - second).max() > 0.1


def test_same_seed_same_weights_other_seed_other_weights():
    def pi(seed):
        layer = TaskSelector(3, seed=seed)
        layer.build((None, None, 4))
        return layer.pi.numpy()

    np.testing.assert_array_equal(pi(1), pi(1))
    assert np.abs(pi(1) - pi(2)).max() > 0.01
