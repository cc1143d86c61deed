"""What a fit computes in NumPy is what the layers of its model compute."""

import math

import numpy as np
import pytest

from tests.posterior.small import CLUSTERS, FEATURES, rows_of_clusters, rows_of_tasks, source_of_tasks
from tffs.layers import Novelty
from tffs.posterior.answers import Answers
from tffs.posterior.novelty import compared_with, numbers_of
from tffs.posterior.recipe import Kitchen, Recipe

SIZES = (0, 1, 4, 16)  # support rows of the questions
WEIGHTS = np.linspace(0.5, 2.0, FEATURES)
MEASURED = (0, 1, 5, FEATURES - 1)


def questions(x):
    """Ask about a task with supports of all sizes, one beyond the source: support, mask and rows."""
    mask = np.arange(SIZES[-1]) < np.array(SIZES)[:, None]
    support = np.repeat(x[None, : SIZES[-1]], len(SIZES), axis=0)
    support[-1, 0, 0] = 50.0
    support[~mask] = 1e6  # padding says nothing
    return support, mask, np.repeat(x[None, SIZES[-1] :], len(SIZES), axis=0)


def compare(kitchen, recipe, x):
    """Compare answers with those of the recipe's model."""
    support, mask, rows = questions(x)
    model, answers = kitchen.model(recipe), Answers(kitchen, recipe, support, mask)
    order, shares = answers.first(FEATURES)
    ranking = model.rank(support, mask)
    np.testing.assert_array_equal(order, ranking.indices)
    np.testing.assert_allclose(shares, ranking.errors, rtol=1e-4, atol=1e-5)
    for count in MEASURED:
        features = order[:, :count]
        values = np.full_like(rows, np.nan)
        np.put_along_axis(values, features[:, None], np.take_along_axis(rows, features[:, None], 2), 2)
        inferred = model.infer(support, values, mask)
        ((_, mean, variance),) = answers.infer(rows, features)
        ((_, alone),) = answers.means(rows, features)
        np.testing.assert_allclose(mean, inferred.mean, rtol=1e-4, atol=1e-4)
        np.testing.assert_array_equal(alone, mean)
        variance = np.where(np.isnan(values), variance, 0.0)
        np.testing.assert_allclose(variance, inferred.variance, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("components", [0, CLUSTERS])
@pytest.mark.parametrize("nu", [10.0, math.inf])
@pytest.mark.parametrize("full", [0.0, 0.9])
def test_answers_are_those_of_the_model(components, nu, full):
    x = rows_of_clusters()
    kitchen = Kitchen(source_of_tasks(x[1:]), WEIGHTS, seed=0)
    compare(kitchen, Recipe(full, nu, components), x[0])


@pytest.mark.parametrize("nu", [10.0, math.inf])
def test_answers_about_many_features_are_those_of_the_model(nu, monkeypatch):
    monkeypatch.setattr("tffs.posterior.source.DENSE_FEATURES", FEATURES - 1)
    monkeypatch.setattr("tffs.posterior.sketch.RANK", 3)
    monkeypatch.setattr("tffs.posterior.sketch.MORE", 1)
    monkeypatch.setattr("tffs.posterior.sketch.MEANS", 2)
    x = rows_of_tasks()
    kitchen = Kitchen(source_of_tasks(x[1:]), WEIGHTS, seed=0)
    assert kitchen.prior().rank == 6
    compare(kitchen, Recipe(nu=nu), x[0])


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("size", [1, 2, 5, 16])
def test_numbers_of_novelty_are_those_of_the_layer(wide, size, monkeypatch):
    if wide:
        monkeypatch.setattr("tffs.posterior.source.DENSE_FEATURES", FEATURES - 1)
    x = rows_of_tasks()
    source = source_of_tasks(x[:-2])
    prior = Kitchen(source, WEIGHTS, seed=0).prior()
    others = compared_with(prior, source)
    layer = Novelty(FEATURES, prior.rank)
    layer.build()
    layer.compare(**others)
    support = x[-2:, :size] + np.array([[[0.0]], [[3.0]]], np.float32)
    np.testing.assert_allclose(numbers_of(support, others), layer.numbers(support)[1], rtol=1e-4, atol=1e-4)
