"""Components of the rows about their tasks' means, for the decoder."""

import dataclasses
from collections.abc import Callable

import numpy as np
from sklearn.cluster import KMeans

from tffs.posterior.prior import Prior
from tffs.posterior.source import Source
from tffs.posterior.threads import at_most

SAMPLE = 20_000  # rows that centres are found from
MOST_STEPS = 10  # of expectation maximization after k-means
MOST_WORK = 2e9  # rows x components x features^2 of all steps together; k-means is enough beyond
POOLED_ROWS = 100.0  # how many rows the pooled covariance counts for in these steps
MOST_NUMBERS = 50_000_000  # that the components' covariances may have together


@dataclasses.dataclass(frozen=True)
class Components:
    """A mixture of Gaussians.

    Attributes:
        counts: n_g, the rows of each component.
        centres: delta_g, [components, features].
        covariances: S_g, [components, features, features], of each component's rows alone.
        pooled: P, [features, features], of all components' rows about their centres.
    """

    counts: np.ndarray
    centres: np.ndarray
    covariances: np.ndarray
    pooled: np.ndarray


def possible(source: Source, components: int) -> bool:
    """Tell whether so many components can be estimated and kept."""
    rows = int(source.counts().sum())
    return source.dense and components * source.num_features**2 <= MOST_NUMBERS and rows >= 5 * components


def components_of(source: Source, count: int, weights: np.ndarray, prior: Prior, seed: int) -> Components:
    """Estimate a mixture.

    Args:
        source: the tasks to learn from.
        count: G.
        weights: [features], how much each feature counts in distances.
        prior: of the same source, whose shrinkage the components' covariances share.
        seed: of k-means.
    """
    metric = np.sqrt(weights)
    centres = _centres(source, count, metric, seed)
    sizes = np.square(centres).sum(axis=1)

    def nearest(block: np.ndarray) -> np.ndarray:
        distances = sizes - 2.0 * (block * metric) @ centres.T
        return (distances == distances.min(axis=1, keepdims=True)).astype(np.float64)

    found = _weighed(source, count, nearest, prior)
    work = source.counts().sum() * count * source.num_features**2
    with at_most(1):  # its many small products take ten times as long with two threads
        for _ in range(int(min(MOST_STEPS, MOST_WORK // work))):
            found = _weighed(source, count, _Likelihoods(found), prior)
    return found


def _centres(source: Source, count: int, metric: np.ndarray, seed: int) -> np.ndarray:
    """Give the centres of k-means, of features times `metric`: [components, features]."""
    total = int(source.counts().sum())
    keep = np.random.default_rng([seed, 8]).random(total) < SAMPLE / total
    sample, start = [], 0
    for block, _ in source.about_means():
        sample.append(block[keep[start : start + len(block)]].astype(np.float32))
        start += len(block)
    rows = np.concatenate(sample) * metric.astype(np.float32)
    with at_most(1):  # several threads add up in the order in which they end
        found = KMeans(count, n_init=1, random_state=seed).fit(rows)
    return found.cluster_centers_.astype(np.float64)


def _weighed(
    source: Source, count: int, shares: Callable[[np.ndarray], np.ndarray], prior: Prior
) -> Components:
    """Estimate components from how much each row belongs to them: `shares` gives [rows, components]."""
    width = source.num_features
    counts, sums, products = np.zeros(count), np.zeros((count, width)), np.zeros((count, width, width))
    for block, _ in source.about_means():
        belongs = shares(block)
        counts += belongs.sum(axis=0)
        sums += belongs.T @ block
        for component in range(count):
            here = np.flatnonzero(belongs[:, component] > 1e-6)
            rows = block[here]
            products[component] += (rows * belongs[here, component, None]).T @ rows
    centres = sums / np.maximum(counts, 1.0)[:, None]
    products -= counts[:, None, None] * centres[:, :, None] * centres[:, None, :]
    pooled = products.sum(axis=0) / max(counts.sum() - count, 1.0)
    products /= np.maximum(counts, 1.0)[:, None, None]
    for matrix in (pooled, *products):
        diagonal = np.maximum(np.diag(matrix), prior.floor)
        matrix *= 1.0 - prior.shrink
        np.fill_diagonal(matrix, diagonal)
    return Components(np.maximum(counts, 1e-3), centres, products, pooled)


class _Likelihoods:
    """Gives how likely rows belong to components: the E step of expectation maximization."""

    def __init__(self, now: Components) -> None:
        drawn = now.counts[:, None, None] * now.covariances + POOLED_ROWS * now.pooled
        triangles = np.linalg.cholesky(drawn / (now.counts + POOLED_ROWS)[:, None, None])
        self._inverses = np.linalg.inv(triangles)
        self._centres = now.centres
        sizes = np.log(np.einsum("gmm->gm", triangles)).sum(axis=1)
        self._offsets = np.log(now.counts) - sizes

    def __call__(self, block: np.ndarray) -> np.ndarray:
        logs = np.stack(
            [
                offset - 0.5 * np.square((block - centre) @ inverse.T).sum(axis=1)
                for centre, inverse, offset in zip(self._centres, self._inverses, self._offsets, strict=True)
            ],
            axis=1,
        )
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)
