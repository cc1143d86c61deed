"""The prior that follows from sums, with full matrices and with factors."""

import numpy as np
import pytest

from tests.posterior.small import FEATURES, rows_of_tasks, source_of_tasks
from tffs.layers import TaskPrior
from tffs.posterior import source as module
from tffs.posterior.prior import Prior, prior_of


def matrices(prior: Prior) -> tuple[np.ndarray, np.ndarray]:
    """Give W and B as `TaskPrior` understands its arguments."""
    given = prior.arguments
    basis = given.get("basis", np.eye(FEATURES))
    outside = np.eye(len(basis)) - basis @ basis.T
    units = np.outer(given["scale"], given["scale"])
    axes = basis @ given["axes"]
    return units * (outside + axes @ axes.T), units * (
        given["rest"] * outside + axes * given["between"] @ axes.T
    )


def test_w_is_pooled_within_tasks_and_b_has_the_variances_between_them():
    x = rows_of_tasks(rows=200)
    within, between = matrices(prior_of(source_of_tasks(x), full=0.9))
    about = (x - x.mean(axis=1, keepdims=True)).reshape(-1, FEATURES)
    expected = about.T @ about / (len(about) - len(x))
    np.testing.assert_allclose(within, expected, rtol=0.02, atol=0.02)
    means = x.mean(axis=1)
    np.testing.assert_allclose(np.diag(between), means.var(axis=0, ddof=1) - np.diag(expected) / 200, rtol=0.02)
    correlation = 0.9 * np.cov(means.T)
    off = ~np.eye(FEATURES, dtype=bool)
    np.testing.assert_allclose(between[off], correlation[off], atol=0.1)


def test_matrices_are_positive_definite_with_fewer_rows_than_features():
    within, between = matrices(prior_of(source_of_tasks(rows_of_tasks(tasks=2, rows=3)), full=0.9))
    assert np.linalg.eigvalsh(within).min() > 0
    assert np.linalg.eigvalsh(between).min() > -1e-9


@pytest.mark.parametrize(("tasks", "rows"), [(1, 30), (5, 1), (1, 1)])
def test_one_task_or_one_row_a_task_gives_a_prior_all_the_same(tasks, rows):
    prior = prior_of(source_of_tasks(rows_of_tasks(tasks=tasks, rows=rows)), full=0.9)
    assert all(np.isfinite(value).all() for value in prior.arguments.values())
    within, between = matrices(prior)
    assert np.linalg.eigvalsh(within).min() > 0
    if tasks == 1:
        np.testing.assert_allclose(np.diag(between), np.diag(within), rtol=1e-6)


def test_constant_and_duplicated_columns_give_a_prior_all_the_same():
    x = rows_of_tasks()
    x[..., 3] = 1.0
    x[..., 5] = x[..., 4]
    within, _ = matrices(prior_of(source_of_tasks(x), full=0.9))
    assert np.linalg.eigvalsh(within / np.sqrt(np.outer(np.diag(within), np.diag(within)))).min() > 1e-4
    assert within[3, 3] < 1e-6


def test_factors_come_close_to_the_full_matrices(monkeypatch):
    x = rows_of_tasks(rows=200)
    full_within, full_between = matrices(prior_of(source_of_tasks(x), full=1.0))
    monkeypatch.setattr(module, "DENSE_FEATURES", 1)
    monkeypatch.setattr("tffs.posterior.sketch.RANK", 3)
    monkeypatch.setattr("tffs.posterior.sketch.MORE", 2)
    prior = prior_of(source_of_tasks(x), full=1.0)
    assert prior.rank == FEATURES  # 5 directions within tasks, and the 8 between them fill the space
    within, between = matrices(prior)
    np.testing.assert_allclose(within, full_within, atol=0.05 * np.diag(full_within).max())
    np.testing.assert_allclose(between, full_between, atol=0.05 * np.diag(full_between).max())
    layer = TaskPrior(FEATURES, prior.rank)
    layer.build()
    layer.learn(**prior.arguments, spread=0.1)
    assert layer.belief(x[:1, :4]).covariance.factor.shape == (1, FEATURES, FEATURES + 4)


def test_factors_do_not_depend_on_how_rows_are_cut_into_blocks(monkeypatch):
    # Means of 4 tasks differ in 3 directions; a fourth one is what rounding makes it.
    monkeypatch.setattr(module, "DENSE_FEATURES", 1)
    monkeypatch.setattr("tffs.posterior.sketch.RANK", 3)
    monkeypatch.setattr("tffs.posterior.sketch.MORE", 2)
    source = source_of_tasks(rows_of_tasks(tasks=4, features=30))
    prior = prior_of(source, full=0.9)
    monkeypatch.setattr("tffs.data.sums.BLOCK_BYTES", 30 * 8 * 7)
    other = prior_of(source, full=0.9)
    assert prior.rank == 5 + 3
    for name, value in prior.arguments.items():
        np.testing.assert_allclose(other.arguments[name], value, atol=1e-8 * np.abs(value).max(), err_msg=name)
