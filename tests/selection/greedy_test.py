"""The greedy choice beside one that tries every feature."""

import numpy as np
import pytest
import tensorflow as tf

from tests.posterior import small
from tffs.selection.covariance import DenseCovariance, FactoredCovariance
from tffs.selection.greedy import BLOCK, UNROLLED, Greedy, Limits, greedy, with_tail

FEATURES, RANK = 14, 4
RIDGE = 1e-3


def covariances(seed: int = 0, features: int = FEATURES) -> tuple[np.ndarray, dict[str, object]]:
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(2, features, RANK))
    core = rng.normal(size=(2, RANK, RANK))
    core = core @ core.transpose(0, 2, 1)
    diagonal = rng.uniform(0.1, 1.0, (2, features))
    full = factor @ core @ factor.transpose(0, 2, 1) + np.stack([np.diag(one) for one in diagonal])
    variances = np.diagonal(full, axis1=1, axis2=2)
    as_float = [tf.constant(one, tf.float32) for one in (factor, core, diagonal, variances)]
    return full, {
        "dense": DenseCovariance(tf.constant(full, tf.float32)),
        "factored": FactoredCovariance(*as_float),
    }


def limits(features: int = FEATURES, **given: object) -> Limits:
    usual = {
        "include": np.zeros((2, features), bool),
        "exclude": np.zeros((2, features), bool),
        "costs": np.ones((2, features), np.float32),
        "budget": np.full(2, -1.0, np.float32),
    }
    return Limits(**{name: tf.constant(value) for name, value in {**usual, **given}.items()})


def asked(kind: str, steps: int, given: Limits | None = None, features: int = FEATURES) -> Greedy:
    weights = tf.constant(np.linspace(0.5, 2.0, features), tf.float32)
    return greedy(covariances(features=features)[1][kind], weights, tf.constant(RIDGE), steps, given)


@pytest.mark.parametrize("kind", ["dense", "factored"])
def test_the_feature_that_leaves_least_error_is_taken_at_every_step(kind):
    full, _ = covariances()
    found = asked(kind, FEATURES)
    for task in range(2):
        chosen, errors = small.greedy(full[task], np.linspace(0.5, 2.0, FEATURES), RIDGE, FEATURES)
        assert found.indices.numpy()[task].tolist() == chosen
        np.testing.assert_allclose(found.errors.numpy()[task], errors, rtol=1e-3, atol=1e-4 * errors[0])


@pytest.mark.parametrize("kind", ["dense", "factored"])
def test_a_loop_of_the_graph_chooses_what_unrolled_steps_choose(kind):
    features = UNROLLED + BLOCK
    looped, unrolled = asked(kind, UNROLLED + 1, features=features), asked(kind, UNROLLED, features=features)
    assert looped.indices.shape == (2, UNROLLED + 1)
    agree = np.mean(looped.indices.numpy()[:, :-1] == unrolled.indices.numpy())
    assert agree > 0.9  # where gains are equal within rounding, the order may differ
    np.testing.assert_allclose(looped.errors.numpy()[:, :-1], unrolled.errors.numpy(), rtol=1e-3)


def test_what_must_be_measured_comes_first_and_what_cannot_never():
    include, exclude = np.zeros((2, FEATURES), bool), np.zeros((2, FEATURES), bool)
    include[0, [3, 9]] = True
    exclude[1, asked("dense", 1).indices.numpy()[1, 0]] = True
    found = asked("dense", FEATURES, limits(include=include, exclude=exclude)).indices.numpy()
    assert set(found[0, :2]) == {3, 9}
    assert -1 not in found[0]
    assert found[1, -1] == -1
    assert not set(np.flatnonzero(exclude[1])) & set(found[1])


def test_an_excluded_feature_still_counts_as_something_to_be_known():
    exclude = np.zeros((2, FEATURES), bool)
    exclude[:, 0] = True
    errors = asked("dense", FEATURES, limits(exclude=exclude)).errors.numpy()
    assert (errors[:, -1] > 1e-4).all()
    np.testing.assert_allclose(errors[:, 0], asked("dense", 1).errors.numpy()[:, 0], rtol=1e-6)


def test_a_cost_divides_the_gain_and_the_budget_is_kept():
    costs = np.ones((2, FEATURES), np.float32)
    first = asked("dense", 1).indices.numpy()[:, 0]
    costs[[0, 1], first] = 1000.0
    found = asked("dense", FEATURES, limits(costs=costs, budget=np.array([5.0, 1005.0], np.float32)))
    chosen = found.indices.numpy()
    assert (chosen[0] >= 0).sum() == 5
    assert first[0] not in chosen[0]
    assert first[1] != chosen[1, 0]
    assert costs[1, chosen[1][chosen[1] >= 0]].sum() <= 1005.0
    np.testing.assert_allclose(found.spent.numpy()[0], 5.0)


def test_what_is_free_comes_first_even_without_any_budget():
    costs = np.ones((2, FEATURES), np.float32)
    costs[:, 7] = 0.0
    chosen = asked("dense", 3, limits(costs=costs, budget=np.zeros(2, np.float32))).indices.numpy()
    np.testing.assert_array_equal(chosen, [[7, -1, -1], [7, -1, -1]])


def test_what_lies_behind_the_last_step_is_ranked_by_its_variance():
    weights = tf.ones(FEATURES)
    ranked = greedy(covariances()[1]["dense"], weights, tf.constant(RIDGE), 5)
    whole = with_tail(ranked, weights, None)
    for task in range(2):
        order = whole.indices.numpy()[task]
        assert sorted(order) == list(range(FEATURES))
        left = ranked.variances.numpy()[task][order[5:]]
        assert (np.diff(left) <= 0).all()
    assert whole.errors.shape == (2, FEATURES + 1)
    np.testing.assert_allclose(whole.errors.numpy()[:, -1], 0.0, atol=1e-4)


def test_the_tail_keeps_to_the_budget():
    given = limits(budget=np.array([7.0, -1.0], np.float32))
    ranked = greedy(covariances()[1]["dense"], tf.ones(FEATURES), tf.constant(RIDGE), 5, given)
    chosen = with_tail(ranked, tf.ones(FEATURES), given).indices.numpy()
    assert (chosen >= 0).sum(axis=1).tolist() == [7, FEATURES]


def test_the_tail_skips_what_the_budget_cannot_buy():
    costs = np.ones((2, FEATURES), np.float32)
    costs[0, ::2] = 100.0
    given = limits(costs=costs, budget=np.array([7.0, -1.0], np.float32))
    ranked = greedy(covariances()[1]["dense"], tf.ones(FEATURES), tf.constant(RIDGE), 2, given)
    chosen = with_tail(ranked, tf.ones(FEATURES), given).indices.numpy()
    assert (chosen[0, :7] >= 0).all()
    assert (chosen[0, 7:] == -1).all()
    assert set(chosen[0, :7]) == set(range(1, FEATURES, 2))


@pytest.mark.parametrize("kind", ["dense", "factored"])
def test_a_loop_chooses_as_the_same_steps_without_one(kind, monkeypatch):
    covariance, weights = covariances()[1][kind], tf.ones(FEATURES)
    for steps in (5, FEATURES):  # the last turn of the loop has fewer features left than steps
        unrolled = greedy(covariance, weights, tf.constant(RIDGE), steps)
        with monkeypatch.context() as changed:
            changed.setattr("tffs.selection.greedy.UNROLLED", 0)
            looped = greedy(covariance, weights, tf.constant(RIDGE), steps)
        np.testing.assert_array_equal(looped.indices, unrolled.indices)
        np.testing.assert_allclose(looped.errors, unrolled.errors, rtol=1e-4, atol=1e-5)
