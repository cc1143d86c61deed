"""The decoder beside conditional Gaussians computed one row and one component at a time."""

import numpy as np
import pytest

from tests.layers.task_prior_test import FEATURES, prior, statistics
from tests.posterior import small
from tffs.layers import ConditionalDecoder
from tffs.layers.conditional_decoder import LEAST_MEASURED, POOLED_ROWS, POWER

RIDGE = 0.01
MEASURED = [5, 0, 2]


def components(count: int, seed: int = 4) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(count + 1, FEATURES, FEATURES))
    matrices = roots @ roots.transpose(0, 2, 1) / FEATURES + 0.5 * np.eye(FEATURES)
    return {
        "counts": rng.integers(5, 50, count).astype(np.float64),
        "centres": rng.normal(size=(count, FEATURES)),
        "covariances": matrices[:count],
        "pooled": matrices[count],
    }


def decoder(count: int) -> ConditionalDecoder:
    layer = ConditionalDecoder(FEATURES, count)
    layer.build()
    if count:
        found = components(count)
        deviations = found["covariances"] - found["pooled"]
        pooled = found["pooled"] - statistics()[1]
        layer.learn(RIDGE, found["counts"], found["centres"], deviations, pooled, np.ones(FEATURES))
    else:
        layer.ridge.assign(RIDGE)
    return layer


def rows(count: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    return rng.normal(size=(1, 3, FEATURES)).astype(np.float32), rng.normal(size=(count, FEATURES)).astype("f4")


def conditional(
    mean: np.ndarray, covariance: np.ndarray, noise: np.ndarray, values: np.ndarray, measured: list[int]
) -> tuple[np.ndarray, np.ndarray, float]:
    """Give a row's conditional mean and variances, and the log likelihood of what was measured."""
    block = covariance[np.ix_(measured, measured)] + np.diag(noise[measured])
    away = values - mean[measured]
    gain = covariance[:, measured] @ np.linalg.inv(block)
    likelihood = -0.5 * (away @ np.linalg.solve(block, away) + np.linalg.slogdet(block)[1])
    return mean + gain @ away, np.diag(covariance - gain @ covariance[measured]), likelihood


def test_one_gaussian_gives_the_conditional_mean_and_variance():
    support, values = rows()
    decoded = decoder(0).decode(prior(5.0).belief(support), 0, np.array(MEASURED), values[:, MEASURED])
    mean, covariance = small.posterior(*statistics(), 5.0, support[0].astype(np.float64))
    for row, value in enumerate(values):
        expected = conditional(mean, covariance, RIDGE * np.diag(covariance), value[MEASURED], MEASURED)
        np.testing.assert_allclose(decoded.mean[row], expected[0], rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(decoded.variance[row], expected[1], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("nu", [5.0, np.inf])
def test_a_mixture_weighs_its_components_by_what_was_measured(nu):
    support, values = rows()
    layer = decoder(3)
    decoded = layer.decode(prior(nu).belief(support), 0, np.array(MEASURED), values[:, MEASURED])
    mean, within, between = statistics()
    centre, covariance = small.posterior(mean, within, between, nu, support[0].astype(np.float64))
    noise = RIDGE * np.diag(covariance)
    found = components(3)
    own, share = (1.0, 0.0) if np.isinf(nu) else (nu / (nu + 3), 1.0 / (nu + 3))
    away = support[0] - centre
    nearest = np.square(away[:, None] - found["centres"]).sum(axis=-1).argmin(axis=-1)
    about = away - found["centres"][nearest]
    base = covariance + share * (about.T @ about - away.T @ away)
    n0 = POOLED_ROWS * max(len(MEASURED), LEAST_MEASURED)
    for row, value in enumerate(values):
        parts, logs = [], []
        for group, count in enumerate(found["counts"]):
            drawn = (count * found["covariances"][group] + n0 * found["pooled"]) / (count + n0)
            one = conditional(
                centre + found["centres"][group],
                base + own * (drawn - within),
                noise,
                value[MEASURED],
                MEASURED,
            )
            parts.append(one)
            logs.append(POWER * one[2] + np.log(count))
        shares = np.exp(np.array(logs) - max(logs))
        shares /= shares.sum()
        expected = sum(share * part[0] for share, part in zip(shares, parts, strict=True))
        spread = sum(
            share * (part[1] + np.square(part[0] - expected)) for share, part in zip(shares, parts, strict=True)
        )
        np.testing.assert_allclose(decoded.mean[row], expected, rtol=1e-2, atol=1e-2)
        np.testing.assert_allclose(decoded.variance[row], spread, rtol=2e-2, atol=1e-2)


@pytest.mark.parametrize("count", [0, 3])
def test_where_nothing_was_measured_the_task_s_mean_is_the_answer(count):
    support, values = rows()
    belief = prior(5.0).belief(support)
    decoded = decoder(count).decode(belief, 0, np.zeros(0, np.int32), values[:, :0])
    expected = np.asarray(belief.mean[0])
    if count:
        found = components(count)
        expected = expected + found["counts"] @ found["centres"] / found["counts"].sum()
    np.testing.assert_allclose(decoded.mean, np.tile(expected, (len(values), 1)), rtol=1e-4, atol=1e-4)


def test_config_gives_the_same_layer():
    layer = decoder(3)
    assert ConditionalDecoder.from_config(layer.get_config()).get_config() == layer.get_config()
    with pytest.raises(ValueError, match="components=-1"):
        ConditionalDecoder(FEATURES, -1)
