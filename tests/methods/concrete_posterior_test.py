"""The paper's selectors, trained through the posterior as their decoder."""

import keras
import numpy as np
import pytest

from tests.posterior.small import rows_of_tasks, source_of_tasks
from tffs.layers import SharedSelector, TaskSelector
from tffs.models import ConcretePosterior
from tffs.posterior.recipe import Kitchen, Recipe

FEATURES, K = 12, 3


def closed_form(nu=20.0):
    source = source_of_tasks(rows_of_tasks(features=FEATURES))
    return Kitchen(source, np.ones(FEATURES), 0).model(Recipe(nu=nu), K)


def model_of(posterior, selection="unique"):
    model = ConcretePosterior(TaskSelector(K, 6, 5, seed=0, selection=selection, name="selector"), posterior)
    model.build()
    return model


def episode(seed=3):
    x = rows_of_tasks(seed, tasks=2, rows=14, features=FEATURES)
    return {"support": x[:, :4], "query": x[:, 4:]}


@pytest.mark.parametrize("nu", [5.0, np.inf])
def test_products_with_the_covariance_are_those_of_its_matrix(nu):
    prior, support = closed_form(nu).prior, episode()["support"]
    directions = np.random.default_rng(0).random((2, K, FEATURES), dtype=np.float32)
    mask = np.array([[True, True, False, True], [True, False, False, False]])
    matrix = np.asarray(prior.belief(support, mask).covariance.matrix)
    expected = matrix @ directions.transpose(0, 2, 1)
    np.testing.assert_allclose(
        prior.covariance_times(support, directions, mask), expected, rtol=1e-4, atol=1e-4
    )


def test_settled_choices_decode_as_the_posterior_does():
    posterior, inputs = closed_form(), episode()
    selector = SharedSelector(K, seed=0, selection="unique", name="selector")
    model = ConcretePosterior(selector, posterior)
    model.build()
    selector.logits.assign(100.0 * np.eye(FEATURES)[[7, 2, 4]])
    relaxed = np.asarray(model(inputs, tau=0.1))
    assert np.asarray(model.select(inputs["support"])).tolist() == [[7, 2, 4]] * 2
    hard = np.asarray(model.decode(inputs["support"], inputs["query"][..., [7, 2, 4]]))
    others = np.setdiff1d(np.arange(FEATURES), [7, 2, 4])
    np.testing.assert_allclose(relaxed[..., others], hard[..., others], rtol=1e-3, atol=1e-3)


def test_relaxed_choices_are_those_that_features_are_picked_through():
    selector = model_of(closed_form()).selector
    inputs = episode()
    noise = np.random.default_rng(1).gumbel(size=(2, K, FEATURES)).astype(np.float32)
    choices = np.asarray(selector.relaxed(inputs["support"], None, 0.5, noise))
    np.testing.assert_allclose(choices.sum(axis=-1), 1.0, rtol=1e-5)
    picked = selector.pick(inputs["query"], inputs["support"], None, 0.5, noise)
    np.testing.assert_allclose(picked, inputs["query"] @ choices.transpose(0, 2, 1), rtol=1e-4, atol=1e-5)


def test_only_the_selector_learns_and_it_chooses_distinct_features(tmp_path):
    model = model_of(closed_form())
    assert {id(one) for one in model.trainable_variables} == {
        id(one) for one in model.selector.trainable_variables
    }
    chosen = np.asarray(model.select(episode()["support"]))
    assert all(len(set(row)) == K for row in chosen)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.select(episode()["support"]), chosen)


def test_more_features_than_there_are_cannot_be_chosen():
    with pytest.raises(ValueError, match="at least 13 features"):
        ConcretePosterior(TaskSelector(13, 6, 5), closed_form())
