import numpy as np
import pytest
import scipy.stats
import tensorflow as tf

from tffs.data import draws
from tffs.data.threefry import threefry_2x32


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


def test_noise_is_finite_at_both_ends():
    ends = draws.gumbel_of(tf.constant([0, 2**32 - 1], tf.uint32))
    np.testing.assert_allclose(ends, [-2.811, 16.636], atol=2e-3)


def test_an_items_noise_does_not_depend_on_the_chunking():
    def noise(first, count, seed=1, stream=2):
        return draws.gumbel(seed, stream, tf.constant(first, tf.int64), count, 7).numpy()

    whole = noise(0, 30)
    np.testing.assert_array_equal(whole, np.concatenate([noise(0, 11), noise(11, 19)]))
    for other in (noise(30, 30), noise(0, 30, seed=2), noise(0, 30, stream=3), noise(2**32, 30)):
        assert abs(np.corrcoef(whole.ravel(), other.ravel())[0, 1]) < 0.25


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_threefry_gives_its_published_answers(counter, key, expected):
    for jit in (True, False):
        function = tf.function(threefry_2x32, jit_compile=jit)
        words = function(
            tuple(tf.constant([word], tf.uint32) for word in counter),
            tuple(tf.constant(word, tf.uint32) for word in key),
        )
        assert tuple(int(word[0]) for word in words) == expected
