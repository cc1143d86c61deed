import numpy as np
import pytest
import scipy.stats
import tensorflow as tf

from tffs.data import draws


def drawn(first, count, width=13, dtype=tf.float32, seed=5, stream=1):
    return draws.uniform(seed, stream, tf.constant(first, tf.int64), count, width, dtype).numpy()


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("width", [1, 2, 7, 4096])
def test_an_items_numbers_do_not_depend_on_the_chunking(dtype, width):
    whole = drawn(0, 60, width, dtype)
    pieces = [drawn(first, count, width, dtype) for first, count in ((0, 1), (1, 36), (37, 23))]
    np.testing.assert_array_equal(whole, np.concatenate(pieces))


def test_numbers_are_the_same_in_a_graph_and_far_into_the_run():
    far = 10**12
    expected = drawn(far, 4)
    graph = tf.function(lambda i: draws.uniform(5, 1, i, 4, 13, tf.float32))
    np.testing.assert_array_equal(graph(tf.constant(far, tf.int64)), expected)
    np.testing.assert_array_equal(drawn(far + 1, 3), expected[1:])


def test_seeds_streams_and_items_are_independent():
    base = drawn(0, 200, 50)
    for other in (drawn(0, 200, 50, seed=6), drawn(0, 200, 50, stream=2), drawn(200, 200, 50)):
        assert not np.isin(base[0], other).all()
        assert abs(np.corrcoef(base.ravel(), other.ravel())[0, 1]) < 0.05


def test_numbers_are_uniform():
    assert scipy.stats.kstest(drawn(0, 400, 100).ravel(), "uniform").pvalue > 0.001


def test_gumbel_noise_has_its_distribution_and_is_finite():
    noise = draws.gumbel(1, 2, tf.constant(0, tf.int64), 500, 400).numpy()
    assert noise.dtype == np.float32
    assert scipy.stats.kstest(noise.ravel(), "gumbel_r").pvalue > 0.001
    assert np.isfinite(noise).all()
    assert noise.min() > -3.0
    assert noise.max() < 17.0


def test_noise_is_clipped_at_both_ends(monkeypatch):
    monkeypatch.setattr(draws, "uniform", lambda *_: tf.constant([[0.0, 1.0]]))
    np.testing.assert_allclose(draws.gumbel(1, 2, 0, 1, 2), [[-2.811, 16.636]], atol=2e-3)
