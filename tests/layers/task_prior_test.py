"""The task prior beside the formulas as they are written."""

import keras
import numpy as np
import pytest

from tests.posterior import small
from tffs.layers import TaskPrior
from tffs.layers.task_prior import LIMIT

FEATURES = 8


def statistics(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    within, between = (rng.normal(size=(FEATURES, FEATURES)) for _ in range(2))
    return rng.normal(size=FEATURES), within @ within.T + np.eye(FEATURES), between @ between.T


def both_diagonal(within: np.ndarray, between: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    triangle = np.linalg.cholesky(within)
    inverse = np.linalg.inv(triangle)
    b, axes = np.linalg.eigh(inverse @ between @ inverse.T)
    return triangle @ axes, b


def prior(nu: float, full_basis: bool = False) -> TaskPrior:
    mean, within, between = statistics()
    scale = np.linspace(0.5, 2.0, FEATURES)
    layer = TaskPrior(FEATURES, FEATURES if full_basis else None)
    layer.build()
    basis = np.eye(FEATURES)
    if full_basis:
        basis, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(FEATURES, FEATURES)))
    units = np.outer(scale, scale)
    axes, b = both_diagonal(basis.T @ (within / units) @ basis, basis.T @ (between / units) @ basis)
    inverse = np.linalg.inv(axes)
    layer.learn(mean, scale, axes, inverse, b, 0.01, 1.0 / nu, basis if full_basis else None)
    return layer


@pytest.mark.parametrize("nu", [3.0, 50.0, np.inf])
@pytest.mark.parametrize("size", [0, 1, 5])
def test_belief_is_the_posterior_of_the_textbook(nu, size):
    support = np.random.default_rng(1).normal(size=(2, size, FEATURES)).astype(np.float32)
    belief = prior(nu).belief(support)
    for task in range(2):
        mean, covariance = small.posterior(*statistics(), nu, support[task].astype(np.float64))
        np.testing.assert_allclose(belief.mean[task], mean, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(belief.covariance.matrix[task], covariance, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("full_basis", [False, True])
def test_a_feature_that_varies_as_in_no_source_task_keeps_its_scatter_but_not_its_products(full_basis):
    # With 30 random pixels of digits_r, one that was dark in the source tasks decided what all others were.
    support = np.random.default_rng(1).normal(size=(1, 4, FEATURES)).astype(np.float32)
    far = support.copy()
    far[0, 0, 2] = 200.0
    features = np.arange(FEATURES, dtype=np.int32)
    layer, nu = prior(5.0, full_basis), 5.0
    belief = layer.belief(far)
    covariance = np.asarray(belief.covariance.columns(0, features))
    mean, textbook = small.posterior(*statistics(), nu, far[0].astype(np.float64))
    variances = np.diag(covariance)
    np.testing.assert_allclose(variances[2], textbook[2, 2], rtol=0.02)
    about = (far[0] - mean) / np.sqrt(nu + 4)
    known = variances - np.square(about).sum(axis=0)
    share = np.minimum(1.0, LIMIT * known / np.square(about).sum(axis=0))
    within = share == 1.0
    assert not within[2]
    np.testing.assert_allclose(belief.trust[0], np.sqrt(share), rtol=0.02)
    products = np.sqrt(np.outer(share, share)) * (about.T @ about)
    before = textbook - about.T @ about
    np.testing.assert_allclose(covariance[2, within], (before + products)[2, within], rtol=0.02, atol=0.05)
    assert np.linalg.eigvalsh(covariance).min() > 0.0


def test_factors_that_span_everything_give_the_full_matrix():
    support = np.random.default_rng(1).normal(size=(2, 3, FEATURES)).astype(np.float32)
    full, factored = prior(5.0).belief(support), prior(5.0, full_basis=True).belief(support)
    np.testing.assert_allclose(factored.mean, full.mean, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(factored.covariance.variances, full.covariance.variances, rtol=1e-3)
    features = np.array([4, 1], np.int32)
    for task in range(2):
        np.testing.assert_allclose(
            factored.covariance.columns(task, features),
            full.covariance.columns(task, features),
            rtol=1e-3,
            atol=1e-3,
        )


def test_rows_that_only_pad_have_no_influence():
    rng = np.random.default_rng(1)
    support = rng.normal(size=(1, 3, FEATURES)).astype(np.float32)
    padded = np.concatenate([support, np.full((1, 2, FEATURES), np.nan, np.float32)], axis=1)
    mask = np.array([[True, True, True, False, False]])
    alone, together = prior(5.0).belief(support), prior(5.0).belief(padded, mask)
    np.testing.assert_allclose(together.mean, alone.mean, rtol=1e-5)
    np.testing.assert_allclose(together.covariance.matrix, alone.covariance.matrix, rtol=1e-5, atol=1e-6)


def test_the_layer_survives_its_config_and_a_file(tmp_path):
    layer = prior(5.0)
    support = np.random.default_rng(1).normal(size=(2, 3, FEATURES)).astype(np.float32)
    assert TaskPrior.from_config(layer.get_config()).get_config() == layer.get_config()
    inputs = keras.Input((3, FEATURES))
    model = keras.Model(inputs, layer(inputs))
    model.save(tmp_path / "prior.keras")
    loaded = keras.saving.load_model(tmp_path / "prior.keras")
    np.testing.assert_array_equal(loaded(support), layer(support))


@pytest.mark.parametrize("arguments", [{"num_features": 0}, {"num_features": 4, "rank": 5}])
def test_arguments_are_checked_when_it_is_made(arguments):
    with pytest.raises(ValueError, match="Expected"):
        TaskPrior(**arguments)
