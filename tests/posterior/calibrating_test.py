"""What a fit learns from left-out tasks holds on tasks that it has never seen."""

import numpy as np
import pytest

from tests.posterior.small import FEATURES, rows_of_tasks, source_of_tasks
from tffs.posterior.fitting import fit_posterior
from tffs.posterior.novelty import compared_with
from tffs.posterior.prior import prior_of
from tffs.posterior.source import dealt

ROWS, UNSEEN = 4, 20


def fitted(x):
    """Fit tasks [tasks, rows, features]."""
    source = source_of_tasks(x, dealt(len(x), 3, 0))
    return fit_posterior(source, (), "standard", min(4, x.shape[2]), 0, ()).model


@pytest.fixture(scope="module")
def tables():
    x = rows_of_tasks(tasks=20 + UNSEEN)
    x *= np.random.default_rng(1).uniform(0.7, 1.4, (len(x), 1, 1)).astype(np.float32)
    return x[:-UNSEEN], x[-UNSEEN:]


@pytest.fixture(scope="module")
def model(tables):
    return fitted(tables[0])


def answers(model, tasks, count):
    """Measure the first features of each task; give errors, variances and expected by measured error."""
    support, rows = tasks[:, :ROWS], tasks[:, ROWS:]
    ranking = model.rank(support)
    values = np.full_like(rows, np.nan)
    for task, order in enumerate(np.asarray(ranking.indices)[:, :count]):
        values[task][:, order] = rows[task][:, order]
    inferred = model.infer(support, values)
    unmeasured = np.isnan(values)
    errors = rows - np.asarray(inferred.mean)
    weights = model.weights_of_features.numpy()
    by_mean = (weights * np.square(rows - model.source_mean.numpy())).sum(axis=(1, 2))
    measured = (weights * np.square(errors)).sum(axis=(1, 2)) / by_mean
    expected = np.asarray(ranking.errors)[:, count]
    return errors[unmeasured], np.asarray(inferred.variance)[unmeasured], expected / measured


@pytest.mark.parametrize("count", [1, 4, 8])
def test_intervals_cover_what_they_say_on_tasks_that_were_not_seen(model, tables, count):
    errors, variances, ratios = answers(model, tables[1], count)
    for level, low, high in ((0.5, 0.4, 0.6), (0.9, 0.84, 0.96), (0.99, 0.96, 1.0)):
        inside = np.abs(errors) <= model.calibration.multiple(level) * np.sqrt(variances)
        assert low <= inside.mean() <= high
    assert 0.65 <= np.median(ratios) <= 1.5


def test_expected_errors_fall(model, tables):
    errors = np.asarray(model.rank(tables[1][:, :ROWS]).errors)
    assert (np.diff(errors, axis=1) <= 0.0).all()
    scores = np.asarray(model.frozen()(tables[1][:, :ROWS]).scores)
    np.testing.assert_allclose(scores, errors[:, :4] - errors[:, 1:5], atol=1e-5)


@pytest.mark.parametrize("rows", [2, 4, 30])
def test_novelty_tells_new_tasks_from_what_is_no_task(model, tables, rows):
    usual = np.asarray(model.novelty(tables[1][:, :rows]))
    shuffled = tables[1][:, :rows][:, :, np.random.default_rng(0).permutation(FEATURES)]
    assert 0.2 < np.median(usual) < 0.8
    assert np.median(np.asarray(model.novelty(shuffled))) > 0.95
    shifted = tables[1][:, :rows].copy()
    shifted[:, :, 5] += 10.0
    assert np.median(np.asarray(model.novelty(shifted))) > 0.95


def test_novelty_is_unknown_without_rows_and_with_fewer_than_five_tasks(model, tables):
    assert np.isnan(model.novelty(tables[1][:, :0])).all()
    assert np.isnan(fitted(tables[0][:4]).novelty(tables[1][:, :ROWS])).all()
    assert np.isfinite(fitted(tables[0][:5]).novelty(tables[1][:, :ROWS])).all()


@pytest.mark.parametrize(("tasks", "rows"), [(1, 8), (2, 8), (6, 2), (6, 1)])
def test_few_tasks_and_few_rows_are_answered(tables, tasks, rows):
    model = fitted(tables[0][:tasks, :rows])
    ranking = model.rank(tables[1][:, :ROWS])
    assert np.isfinite(ranking.errors).all()
    answered = model.infer(tables[1][:, :ROWS], np.full((UNSEEN, 1, FEATURES), np.nan, np.float32))
    assert np.isfinite(answered.variance).all()


def test_one_feature_is_calibrated(tables):
    model = fitted(tables[0][:, :, :1])
    assert np.isfinite(model.rank(tables[1][:, :ROWS, :1]).errors).all()


def test_many_features_are_calibrated_by_factors(tables, monkeypatch):
    monkeypatch.setattr("tffs.posterior.source.DENSE_FEATURES", FEATURES - 1)
    monkeypatch.setattr("tffs.posterior.sketch.RANK", 2)
    monkeypatch.setattr("tffs.posterior.sketch.MORE", 1)
    model = fitted(tables[0][:8])
    assert model.prior.rank is not None
    assert (np.asarray(model.novelty(tables[1][:, :ROWS] + 20.0)) > 0.95).all()
    assert np.isfinite(model.rank(tables[1][:, :ROWS]).errors).all()


@pytest.mark.parametrize("constant", [[4], [0, 1, 2, 3, 4]])
def test_constant_features_do_not_make_intervals_vanish(tables, constant):
    x, new = (part[:, :, :5].copy() for part in tables)
    for rows in (x, new):
        rows[:, :, constant] = 7.0
    model = fitted(x)
    assert all(np.isfinite(weights).all() for weights in model.calibration.get_weights())
    inferred = model.infer(new[:, :ROWS], np.full_like(new[:, ROWS:], np.nan))
    assert np.isfinite(inferred.mean).all()
    assert np.isfinite(inferred.variance).all()


def test_novelty_of_many_features_compares_by_factors(tables, monkeypatch):
    source = source_of_tasks(tables[0])
    dense = compared_with(prior_of(source, 0.9), source)
    monkeypatch.setattr("tffs.posterior.source.DENSE_FEATURES", FEATURES - 1)
    found = compared_with(prior_of(source, 0.9), source)
    for name in ("any_task", "one_task"):
        diagonal, factors, stddev = found[name]
        whole = (np.diag(diagonal) - factors @ factors.T) * stddev
        assert np.corrcoef(whole.ravel(), dense[name][0].ravel())[0, 1] > 0.9
        np.testing.assert_allclose(np.diag(whole), 1.0 / stddev, rtol=1e-6)
