"""Components of the rows about their tasks' means, for the decoder.

Several mixtures of the same number of components are estimated step by step together, so that one pass over the
rows may serve them all.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from tffs.data.sums import Arrays, summed
from tffs.posterior.prior import Prior
from tffs.posterior.source import Source
from tffs.posterior.threads import at_most

SAMPLE = 20_000  # rows that centres are found from
MOST_STEPS = 10  # of expectation maximization after k-means
MOST_WORK = 2e9  # rows x components x features^2 of all steps together; k-means is enough beyond
POOLED_ROWS = 100.0  # how many rows the pooled covariance counts for in these steps
MOST_NUMBERS = 50_000_000  # that the components' covariances may have together
SAMPLE_BLOCK = 1_000_000  # numbers of the sample that are read at a time, and rows that are drawn from

_Shares = Callable[[np.ndarray], np.ndarray]  # from rows to [rows, components]


class Mixed(NamedTuple):
    """What a mixture is estimated from.

    Attributes:
        source: the tasks to learn from.
        weights: [features], how much each feature counts in distances.
        prior: of the same source, whose shrinkage the components' covariances share.
    """

    source: Source
    weights: np.ndarray
    prior: Prior


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


def passes_for(source: Source, components: int) -> int:
    """Give how many passes over the rows a mixture takes."""
    return 1 + _steps(source, components) if possible(source, components) else 0


def components_of(mixed: Sequence[Mixed], count: int, seed: int) -> list[Components]:
    """Estimate mixtures of `count` components each.

    Args:
        mixed: what each is estimated from; sources of the same rows.
        count: G.
        seed: of k-means.
    """
    found = _weighed(mixed, count, [_nearest(one, count, seed) for one in mixed])
    steps = [_steps(one.source, count) for one in mixed]
    with at_most(1):  # its many small products take ten times as long with two threads
        for step in range(max(steps)):
            here = [place for place, own in enumerate(steps) if step < own]
            shares = [_Likelihoods(found[place]) for place in here]
            for place, better in zip(here, _weighed([mixed[one] for one in here], count, shares), strict=True):
                found[place] = better
    return found


def _steps(source: Source, count: int) -> int:
    """Give how many steps of expectation maximization follow k-means."""
    work = source.counts().sum() * count * source.num_features**2
    return int(min(MOST_STEPS, MOST_WORK // work))


def _nearest(mixed: Mixed, count: int, seed: int) -> "_Nearest":
    """Find the centres of k-means on a sample of the rows."""
    metric = np.sqrt(mixed.weights)
    rows = _sample(mixed.source, seed) * metric.astype(np.float32)
    with at_most(1):  # several threads add up in the order in which they end
        found = KMeans(count, n_init=1, random_state=seed).fit(rows)
    return _Nearest(found.cluster_centers_.astype(np.float64), metric)


def _sample(source: Source, seed: int) -> np.ndarray:
    """Read a sample of the rows about their tasks' means, float32 [sample, features].

    Whether a row is in it depends on its place among the rows alone.
    """
    tasks, kept, counts = source.tasks, source.kept_tasks(), source.counts()
    total, means = int(counts.sum()), source.means()
    rng = np.random.default_rng([seed, 8])
    places = np.concatenate(
        [
            start + np.flatnonzero(rng.random(min(SAMPLE_BLOCK, total - start)) < SAMPLE / total)
            for start in range(0, total, SAMPLE_BLOCK)
        ]
    )
    ends = np.cumsum(counts)
    task = np.searchsorted(ends, places, "right")
    rows = tasks.rows[tasks.offsets[kept[task]] + places - (ends - counts)[task]]
    sample = np.empty((len(rows), source.num_features), np.float32)
    step = max(SAMPLE_BLOCK // source.num_features, 1)
    for start in range(0, len(rows), step):
        here = slice(start, start + step)
        sample[here] = np.asarray(source.matrix[rows[here]], np.float64) - means[task[here]]
    return sample


def _weighed(mixed: Sequence[Mixed], count: int, shares: Sequence[_Shares]) -> list[Components]:
    """Estimate components from how much each row belongs to them."""
    wanted = [
        one.source.about_means(_Weighed(count, one.source.num_features, of_rows))
        for one, of_rows in zip(mixed, shares, strict=True)
    ]
    found = summed(mixed[0].source.matrix, wanted) if mixed else []
    return [_from_sums(sums, one.prior) for sums, one in zip(found, mixed, strict=True)]


def _from_sums(sums: Arrays, prior: Prior) -> Components:
    counts, products = sums["counts"], sums["products"]
    centres = sums["sums"] / np.maximum(counts, 1.0)[:, None]
    products -= counts[:, None, None] * centres[:, :, None] * centres[:, None, :]
    pooled = products.sum(axis=0) / max(counts.sum() - len(counts), 1.0)
    products /= np.maximum(counts, 1.0)[:, None, None]
    for matrix in (pooled, *products):
        diagonal = np.maximum(np.diag(matrix), prior.floor)
        matrix *= 1.0 - prior.shrink
        np.fill_diagonal(matrix, diagonal)
    return Components(np.maximum(counts, 1e-3), centres, products, pooled)


@dataclasses.dataclass(frozen=True)
class _Weighed:
    """Counts, sums and products of the rows of each component; `shares` says how much each row is one's."""

    count: int
    width: int
    shares: _Shares
    merged: ClassVar[Mapping[str, np.ufunc]] = dict.fromkeys(("counts", "sums", "products"), np.add)

    def zeros(self) -> Arrays:
        count, width = self.count, self.width
        shapes = {"counts": (count,), "sums": (count, width), "products": (count, width, width)}
        return {name: np.zeros(shape) for name, shape in shapes.items()}

    def add(self, sums: Arrays, block: np.ndarray) -> None:
        belongs = self.shares(block)
        sums["counts"] += belongs.sum(axis=0)
        sums["sums"] += belongs.T @ block
        for component in range(self.count):
            here = np.flatnonzero(belongs[:, component] > 1e-6)
            rows = block[here]
            sums["products"][component] += (rows * belongs[here, component, None]).T @ rows


class _Nearest:
    """Gives a row to the component whose centre is nearest.

    Args:
        centres: of features times `metric`, [components, features].
        metric: [features].
    """

    def __init__(self, centres: np.ndarray, metric: np.ndarray) -> None:
        self._centres = centres
        self._metric = metric
        self._sizes = np.square(centres).sum(axis=1)

    def __call__(self, block: np.ndarray) -> np.ndarray:
        distances = self._sizes - 2.0 * (block * self._metric) @ self._centres.T
        return (distances == distances.min(axis=1, keepdims=True)).astype(np.float64)


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
