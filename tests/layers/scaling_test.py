import numpy as np
import pytest

from tffs.layers import Scaling

OFFSET = np.array([1.0, -2.0, 5.0], np.float32)
WIDTH = np.array([2.0, 0.5, 0.0], np.float32)
MEDIAN = np.array([1.5, -1.9, 5.0], np.float32)
ROWS = np.array([[1.0, -2.0, 5.0], [3.0, -1.5, 5.0], [9.0, -3.0, 7.0]], np.float32)


@pytest.fixture
def scaling():
    layer = Scaling()
    layer.build((None, 3))
    layer.learn(OFFSET, WIDTH, MEDIAN)
    return layer


def test_rows_are_scaled_without_clipping_and_constants_become_zero(scaling):
    np.testing.assert_allclose(scaling(ROWS), [[0, 0, 0], [1, 1, 0], [4, -2, 0]])


def test_the_inverse_gives_raw_units_and_the_value_of_a_constant(scaling):
    np.testing.assert_allclose(scaling.inverse(scaling(ROWS)), [[1, -2, 5], [3, -1.5, 5], [9, -3, 5]])


def test_chosen_values_are_scaled_as_their_features(scaling):
    indices = np.array([[1, 0], [2, 1]])
    values = np.stack([ROWS[:, [1, 0]], ROWS[:, [2, 1]]])
    expected = np.asarray(scaling(ROWS))
    scaled = scaling.scale_chosen(values, indices)
    np.testing.assert_allclose(scaled, [expected[:, [1, 0]], expected[:, [2, 1]]])


def test_a_layer_that_has_learned_nothing_changes_nothing():
    layer = Scaling()
    np.testing.assert_array_equal(layer(ROWS), ROWS)
    np.testing.assert_array_equal(layer.inverse(ROWS), ROWS)


def test_missing_values_become_medians_only_where_asked(scaling):
    rows = ROWS.copy()
    rows[0, 1] = np.nan
    assert np.isnan(np.asarray(scaling(rows))[0, 1])
    imputing = Scaling(impute=True)
    imputing.build((None, 3))
    imputing.learn(OFFSET, WIDTH, MEDIAN)
    np.testing.assert_allclose(np.asarray(imputing(rows))[0, 1], 0.2, rtol=1e-5)
    chosen = imputing.scale_chosen(np.full((1, 1, 1), np.nan, np.float32), np.array([[1]]))
    np.testing.assert_allclose(chosen, [[[0.2]]], rtol=1e-5)


def test_nothing_is_trainable(scaling):
    assert scaling.trainable_variables == []
