"""PosteriorSelector: one model for every K, every number of support rows and every measured subset."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.posterior.small import FEATURES, rows_of_tasks, source_of_tasks
from tffs.layers import Calibration, ConditionalDecoder, TaskPrior
from tffs.layers.calibration import COUNTS
from tffs.layers.calibration import ROWS as ROWS_LEARNED
from tffs.models import PosteriorSelector
from tffs.models.posterior_selector import FEW_ROWS
from tffs.posterior import source as source_module
from tffs.posterior.recipe import Kitchen, Recipe

X = rows_of_tasks(tasks=6)
SUPPORT, ROWS = X[:2, :4], X[:2, 4:12]


def made(components=0, num_selected=4):
    kitchen = Kitchen(source_of_tasks(X), np.linspace(0.5, 2.0, FEATURES), seed=0)
    return kitchen.model(Recipe(components=components), num_selected)


@pytest.fixture(scope="module", params=["one Gaussian", "mixture", "factors"])
def model(request):
    if request.param != "factors":
        return made(3 if request.param == "mixture" else 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_module, "DENSE_FEATURES", 1)
        patch.setattr("tffs.posterior.sketch.RANK", 3)
        return made()


@pytest.fixture
def values():
    """Every row measured otherwise, one not at all and one in full."""
    measured = np.random.default_rng(1).random(ROWS.shape) < 0.4
    measured[0, 0], measured[1, 3] = False, True
    return np.where(measured, ROWS, np.nan).astype(np.float32)


def test_rows_that_are_measured_otherwise_are_inferred_as_if_each_were_alone(model, values):
    together = model.infer(SUPPORT, values)
    for task in range(len(values)):
        for row in range(values.shape[1]):
            alone = model.infer(SUPPORT[task : task + 1], values[task : task + 1, row : row + 1])
            np.testing.assert_allclose(together.mean[task, row], alone.mean[0, 0], atol=2e-5)
            np.testing.assert_allclose(together.variance[task, row], alone.variance[0, 0], atol=2e-5)


def test_measured_values_come_back_without_variance(model, values):
    found = model.infer(SUPPORT, values)
    measured = ~np.isnan(values)
    np.testing.assert_array_equal(np.asarray(found.mean)[measured], values[measured])
    assert (np.asarray(found.variance)[measured] == 0).all()
    assert (np.asarray(found.variance)[~measured] > 0).all()
    assert np.isfinite(found.mean).all()


def test_a_support_of_no_rows_is_answered_as_one_that_only_pads(model, values):
    none = np.zeros((2, 0, FEATURES), np.float32)
    padding = np.zeros((2, 3), bool)
    empty, masked = model.rank(none), model.rank(SUPPORT[:, :3], padding)
    np.testing.assert_array_equal(empty.indices, masked.indices)
    np.testing.assert_array_equal(empty.indices[0], empty.indices[1])
    np.testing.assert_allclose(empty.errors, masked.errors, rtol=1e-4, atol=1e-6)
    found = model.infer(none, values)
    np.testing.assert_allclose(found.mean, model.infer(SUPPORT[:, :3], values, padding).mean, atol=2e-5)


def test_padding_rows_say_nothing_whatever_they_hold(model, values):
    padded = np.concatenate([SUPPORT, np.full((2, 2, FEATURES), 1e6, np.float32)], axis=1)
    mask = np.tile([True] * 4 + [False] * 2, (2, 1))
    np.testing.assert_array_equal(model.select(padded, mask), model.select(SUPPORT))
    np.testing.assert_allclose(
        model.infer(padded, values, mask).mean, model.infer(SUPPORT, values).mean, atol=2e-5
    )


def test_the_first_features_of_a_larger_choice_are_the_smaller_choice(model):
    ranking = model.rank(SUPPORT)
    assert np.sort(ranking.indices).tolist() == [list(range(FEATURES))] * 2
    for count in range(1, FEATURES + 1):
        indices, errors = model.first(SUPPORT, count=count)
        np.testing.assert_array_equal(indices, ranking.indices[:, :count])
        np.testing.assert_allclose(errors, ranking.errors[:, : count + 1], rtol=1e-4, atol=1e-6)


def test_the_expected_error_falls_to_nothing_and_scores_are_what_it_falls_by(model):
    errors = np.asarray(model.rank(SUPPORT).errors)
    assert (np.diff(errors) <= 0).all()
    assert (errors[:, -1] < 0.02).all()
    scores = model.frozen()(SUPPORT).scores
    np.testing.assert_allclose(scores, errors[:, :4] - errors[:, 1:5], rtol=1e-4, atol=1e-6)


def test_every_feature_lets_the_expected_error_fall_even_where_calibration_would_let_it_rise():
    model = made()
    rising = np.log(np.linspace(0.2, 2.0, len(COUNTS)))
    model.calibration.of_errors.assign(np.tile(rising, (len(ROWS_LEARNED), 1)))
    errors = np.asarray(model.rank(SUPPORT).errors)[:, :FEATURES]
    assert (np.diff(errors) < 0).all()


@pytest.mark.parametrize("rows", [0, 1, FEW_ROWS, FEW_ROWS + 1, 20])
def test_a_frozen_choice_is_that_of_the_model_for_few_rows_and_for_many(model, rows):
    choose = tf.function(model.frozen(), autograph=False)
    found = choose(tf.constant(X[:3, :rows]))
    np.testing.assert_array_equal(found.indices, model.select(X[:3, :rows]))


def test_a_frozen_choice_takes_tasks_with_few_rows_beside_tasks_with_many(model):
    mask = np.arange(20) < np.array([[2], [20], [0]])
    np.testing.assert_array_equal(model.frozen()(X[:3, :20], mask).indices, model.select(X[:3, :20], mask))


def test_what_is_inferred_lies_in_the_range_of_source_and_support(model):
    values = np.full((1, 1, FEATURES), np.nan, np.float32)
    values[..., :3] = 1e4
    low, high = X.min(axis=(0, 1)), X.max(axis=(0, 1))
    inferred = np.asarray(model.infer(SUPPORT[:1], values).mean)[0, 0]
    np.testing.assert_array_equal(inferred[:3], 1e4)
    assert (inferred[3:] <= high[3:]).all()
    assert (inferred[3:] >= low[3:]).all()
    wide = SUPPORT[:1].copy()
    wide[0, 0, 3:] = 50.0
    beyond = np.asarray(model.infer(wide, values).mean)[0, 0, 3:]
    assert (beyond <= 50.0).all()
    assert (beyond > high[3:]).any()


def test_a_model_survives_a_file_bit_for_bit(model, values, tmp_path):
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert isinstance(loaded, PosteriorSelector)
    assert loaded.num_selected == model.num_selected
    pairs = [*zip(model.rank(SUPPORT), loaded.rank(SUPPORT), strict=True)]
    pairs += zip(model.infer(SUPPORT, values), loaded.infer(SUPPORT, values), strict=True)
    for before, after in pairs:
        np.testing.assert_array_equal(before, after)


def test_rows_are_decoded_from_what_was_chosen(model):
    chosen = np.asarray(model.select(SUPPORT))
    values = np.take_along_axis(ROWS, chosen[:, None], axis=2)
    spread = np.full_like(ROWS, np.nan)
    np.put_along_axis(spread, np.broadcast_to(chosen[:, None], values.shape), values, axis=2)
    np.testing.assert_array_equal(model.decode(SUPPORT, values), model.infer(SUPPORT, spread).mean)


@pytest.mark.parametrize("num_selected", [0, -1, FEATURES + 1, 2.5])
def test_a_number_of_features_that_cannot_be_is_refused(num_selected):
    parts = TaskPrior(FEATURES), ConditionalDecoder(FEATURES), Calibration(FEATURES)
    with pytest.raises((ValueError, TypeError), match="num_"):
        PosteriorSelector(*parts, num_selected)
