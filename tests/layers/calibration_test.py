"""Calibration: its factors against NumPy, the multiples of other levels, and the file."""

import keras
import numpy as np
import pytest

from tffs.layers import Calibration
from tffs.layers.calibration import COUNTS, LEVELS, ROWS

FEATURES = 5
SHAPE = (len(ROWS), len(COUNTS))


def learned():
    rng = np.random.default_rng(0)
    layer = Calibration(FEATURES)
    layer.build()
    features = rng.uniform(0.5, 2.0, FEATURES)
    layer.learn(rng.normal(size=SHAPE), rng.normal(size=SHAPE), features, [0.6, 1.2, 1.6449, 2.1, 4.0])
    return layer


def at(table, rows, count):
    """Interpolate in the logarithms of 1 + rows and 1 + count."""
    over = [np.interp(np.log1p(count), np.log1p(COUNTS), line) for line in table]
    return np.interp(np.log1p(rows), np.log1p(ROWS), over)


def test_changes_nothing_until_it_has_learned():
    layer = Calibration(FEATURES)
    layer.build()
    rows = np.array([0.0, 3.0, 100.0], np.float32)
    np.testing.assert_array_equal(layer.errors(rows, 4), np.ones((3, 4)))
    np.testing.assert_array_equal(layer.variances(rows, np.ones((3, 2), np.float32)), np.ones((3, 2, FEATURES)))
    assert layer.multiple(0.9) == pytest.approx(1.645, abs=1e-3)
    assert layer.multiple(0.6827) == pytest.approx(1.0, abs=1e-3)


def test_a_better_decoder_changes_nothing_where_nothing_was_measured():
    layer, before = learned(), learned()
    layer.shrink(0.5)
    rows = np.array([0.0, 4.0], np.float32)
    np.testing.assert_allclose(layer.errors(rows, 3)[:, 0], before.errors(rows, 3)[:, 0])
    np.testing.assert_allclose(layer.errors(rows, 3)[:, 1:], 0.5 * before.errors(rows, 3)[:, 1:], rtol=1e-5)
    counts = np.array([[0.0, 2.0], [0.0, 2.0]], np.float32)
    ratio = np.asarray(layer.variances(rows, counts)) / np.asarray(before.variances(rows, counts))
    np.testing.assert_allclose(
        ratio, np.broadcast_to(np.array([1.0, 0.5])[:, None], (2, 2, FEATURES)), rtol=1e-5
    )


def test_factors_are_interpolated_and_stay_what_they_are_beyond_the_last_knot():
    layer = learned()
    rows = np.array([0, 1, 3, 16, 500], np.float32)
    errors = np.asarray(layer.errors(rows, 50))
    variances = np.asarray(layer.variances(rows, np.tile(np.arange(50, dtype=np.float32), (5, 1))))
    for task, n in enumerate(rows):
        for k in (0, 1, 3, 7, 32, 49):
            expected = np.exp(at(layer.of_errors.numpy(), n, k))
            np.testing.assert_allclose(errors[task, k], expected, rtol=1e-5)
            expected = np.exp(at(layer.of_variances.numpy(), n, k)) * layer.of_features.numpy()
            np.testing.assert_allclose(variances[task, k], expected, rtol=1e-5)


def test_multiples_are_the_learned_ones_and_grow_with_the_level():
    layer = learned()
    assert [layer.multiple(level) for level in LEVELS] == pytest.approx([0.6, 1.2, 1.6449, 2.1, 4.0], rel=1e-5)
    between = [layer.multiple(level) for level in np.linspace(0.05, 0.999, 50)]
    assert all(np.diff(between) > 0.0)


@pytest.mark.parametrize("rank", [None, 2])
def test_survives_config_and_file(rank, tmp_path):
    layer = Calibration(FEATURES, rank)
    assert Calibration.from_config(layer.get_config()).get_config() == layer.get_config()
    layer.build()
    rng = np.random.default_rng(0)
    for weight in layer.weights:
        weight.assign(rng.uniform(0.5, 1.0, weight.shape))
    holder = keras.Sequential([keras.Input((3,)), Holder(layer)])
    holder.save(tmp_path / "layer.keras")
    loaded = keras.saving.load_model(tmp_path / "layer.keras", custom_objects={"Holder": Holder}).layers[0].part
    assert len(loaded.weights) == len(layer.weights)
    for one, other in zip(loaded.weights, layer.weights, strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


class Holder(keras.layers.Layer):
    """Has a layer that is not called."""

    def __init__(self, part, **kwargs):
        super().__init__(**kwargs)
        self.part = keras.saving.deserialize_keras_object(part) if isinstance(part, dict) else part

    def build(self, input_shape):
        if not self.part.built:
            self.part.build()
        self.built = True

    def call(self, inputs):
        return inputs

    def get_config(self):
        return {**super().get_config(), "part": keras.saving.serialize_keras_object(self.part)}


def test_refuses_no_features():
    with pytest.raises(ValueError, match="num_features=0"):
        Calibration(0)
