"""Novelty: its three numbers against NumPy, and what it says of usual and unusual supports."""

import keras
import numpy as np
import pytest

from tffs.layers import Novelty
from tffs.layers.novelty import KNOTS, QUANTILES

FEATURES = 12


def covariances(seed=0):
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(FEATURES, 3))
    within = factor @ factor.T + np.diag(rng.uniform(0.2, 1.0, FEATURES))
    other = rng.normal(size=(FEATURES, 2))
    return within, within + other @ other.T


def by_stddev(covariance):
    inverse = np.linalg.inv(covariance)
    return inverse / np.sqrt(np.diag(inverse))


def made():
    within, total = covariances()
    layer = Novelty(FEATURES)
    layer.build()
    mean = np.linspace(-1.0, 1.0, FEATURES)
    stddev = np.sqrt(np.diag(within))
    layer.compare(mean, mean - 3.0, mean + 3.0, stddev, [by_stddev(total)], [by_stddev(within)])
    return layer


def learned():
    layer = made()
    knots = len(KNOTS)
    layer.learn(
        np.zeros((knots, 3)), np.ones((knots, 3)), np.tile(np.linspace(-2.0, 2.0, QUANTILES), (knots, 1))
    )
    return layer


def numbers_of(layer, rows):
    """The three numbers of one support, as the module's docstring has them."""
    count = len(rows)
    mean, low, high, stddev = (np.asarray(one) for one in (layer.mean, layer.low, layer.high, layer.stddev))
    z = (rows - mean) @ np.asarray(layer.any_task[0])
    y = np.sort(z + 2.0 * (rows - np.clip(rows, low, high)) / stddev, axis=0)
    few = int(np.ceil(count / 4))
    q = np.maximum(np.maximum(y[few - 1], -y[count - few]), 0.0)
    alone = q.max() / (0.5 + np.sort(q)[-(FEATURES // 10) - 1])
    about = (rows - rows.mean(axis=0)) * np.sqrt(count / max(count - 1, 1))
    together = np.minimum(np.abs(about @ np.asarray(layer.one_task[0])), 3.0).mean()
    return np.log(1e-3 + np.array([alone, np.log1p(z**2).mean(), together]))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 9])
def test_numbers_are_those_of_numpy_and_padding_changes_nothing(count):
    layer = made()
    rows = 2.0 * np.random.default_rng(count).normal(size=(count, FEATURES)).astype(np.float32)
    padded = np.full((1, 11, FEATURES), np.nan, np.float32)
    padded[0, 1 : 1 + count] = rows
    mask = ~np.isnan(padded[..., 0])
    expected = numbers_of(layer, rows)
    used = slice(None, 2 if count == 1 else 3)
    for found, numbers in (layer.numbers(rows[None]), layer.numbers(padded, mask)):
        assert float(found[0]) == count
        np.testing.assert_allclose(numbers[0, used], expected[used], rtol=1e-4, atol=1e-5)


def test_many_rows_are_looked_at_evenly():
    layer = made()
    rows = np.random.default_rng(0).normal(size=(1, 4 * KNOTS[-1], FEATURES)).astype(np.float32)
    np.testing.assert_allclose(layer.numbers(rows)[1], layer.numbers(rows[:, ::4])[1], rtol=1e-6)


def test_is_a_share_and_grows_with_distance():
    layer = learned()
    rows = np.random.default_rng(0).normal(size=(1, 4, FEATURES)).astype(np.float32)
    values = [float(layer(factor * rows)[0]) for factor in (0.0, 0.5, 1.0, 2.0, 100.0, 1e6)]
    assert 0.0 < values[0] <= values[1] < values[2] < values[3] < values[4] <= values[5] < 1.0


def test_is_unknown_without_rows_and_until_it_has_learned():
    rows = np.zeros((2, 3, FEATURES), np.float32)
    assert np.isnan(learned()(rows[:, :0])).all()
    assert np.isnan(made()(rows)).all()
    mixed = np.asarray(learned()(rows, np.array([[True] * 3, [False] * 3])))
    assert np.isfinite(mixed[0])
    assert np.isnan(mixed[1])


def test_factors_say_what_full_matrices_say():
    rng = np.random.default_rng(3)
    full = learned()
    few = Novelty(FEATURES, rank=3)
    few.build()
    inverses, parts = [], []
    for _ in range(2):
        diagonal, factors = rng.uniform(2.0, 3.0, FEATURES), 0.3 * rng.normal(size=(FEATURES, 3))
        inverse = np.diag(diagonal) - factors @ factors.T
        inverses.append([inverse / np.sqrt(np.diag(inverse))])
        parts.append([diagonal, factors, 1.0 / np.sqrt(np.diag(inverse))])
    common = [np.zeros(FEATURES), -np.ones(FEATURES), np.ones(FEATURES), np.ones(FEATURES)]
    full.compare(*common, *inverses)
    few.compare(*common, *parts)
    few.learn(full.usual, full.spread, full.quantiles)
    rows = rng.normal(size=(3, 4, FEATURES)).astype(np.float32)
    np.testing.assert_allclose(few(rows), full(rows), rtol=1e-4)


@pytest.mark.parametrize("rank", [None, 3])
def test_survives_config_and_file(rank, tmp_path):
    layer = Novelty(FEATURES, rank)
    assert Novelty.from_config(layer.get_config()).get_config() == layer.get_config()
    layer.build()
    rng = np.random.default_rng(0)
    for weight in layer.weights:
        weight.assign(rng.uniform(0.5, 1.0, weight.shape))
    support = keras.Input((4, FEATURES))
    keras.Model(support, layer(support)).save(tmp_path / "layer.keras")
    rows = rng.normal(size=(3, 4, FEATURES)).astype(np.float32)
    loaded = keras.saving.load_model(tmp_path / "layer.keras")
    np.testing.assert_array_equal(np.asarray(loaded(rows)), np.asarray(layer(rows)))
