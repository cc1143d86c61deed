import numpy as np
import tensorflow as tf

from tffs.selection import with_measured

NAN = np.nan


def test_measured_features_take_the_place_of_inferred_ones(rng):
    inferred = rng.random((2, 3, 5), dtype=np.float32)
    values = rng.random((2, 3, 2), dtype=np.float32)
    indices = np.array([[4, 1], [0, 3]], np.int32)
    expected = inferred.copy()
    for task in range(2):
        expected[task][:, indices[task]] = values[task]
    np.testing.assert_array_equal(with_measured(inferred, values, indices), expected)
    graph = tf.function(with_measured, jit_compile=True)
    np.testing.assert_array_equal(graph(inferred, tf.constant(values), tf.constant(indices)), expected)


def test_what_is_nan_was_not_measured():
    answer = with_measured(tf.zeros((1, 2, 3)), np.array([[[7.0], [NAN]]], np.float32), np.array([[2]]))
    np.testing.assert_array_equal(answer, [[[0, 0, 7], [0, 0, 0]]])


def test_the_first_value_of_a_feature_that_is_named_twice_counts():
    values = np.array([[[1.0, 2.0, 3.0]]], np.float32)
    answer = with_measured(tf.zeros((1, 1, 4)), values, np.array([[3, 0, 3]], np.int32))
    np.testing.assert_array_equal(answer, [[[2, 0, 0, 1]]])
