"""Small source tasks, and the textbook's formulas in float64 to compare with."""

import numpy as np

from tffs.data.tasks import TaskRows
from tffs.posterior.source import Source

FEATURES = 12
CLUSTERS = 8


def rows_of_tasks(seed: int = 0, tasks: int = 9, rows: int = 40, features: int = FEATURES) -> np.ndarray:
    """Draw tasks [tasks, rows, features] that share a covariance and differ in their means."""
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(3, features))
    means = rng.normal(size=(tasks, 1, features))
    drawn = rng.normal(size=(tasks, rows, 3)) @ mixing + 0.3 * rng.normal(size=(tasks, rows, features))
    return (means + drawn).astype(np.float32)


def rows_of_clusters(
    seed: int = 0, tasks: int = 9, rows: int = 64, which: bool = False
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Draw tasks [tasks, rows, features] whose rows are in clusters that lie apart; `which` tells in which."""
    rng = np.random.default_rng(seed)
    centres = 3.0 * rng.normal(size=(CLUSTERS, FEATURES))
    cluster = np.tile(np.arange(rows) % CLUSTERS, (tasks, 1))
    x = centres[cluster] + 0.3 * rng.normal(size=(tasks, rows, FEATURES))
    x = (x + 0.3 * rng.normal(size=(tasks, 1, FEATURES))).astype(np.float32)
    return (x, cluster) if which else x


def source_of_tasks(x: np.ndarray, groups: np.ndarray | None = None) -> Source:
    """Put tasks [tasks, rows, features] behind each other; each is its own group unless groups are given."""
    tasks, rows, features = x.shape
    numbers = list(np.arange(tasks * rows).reshape(tasks, rows))
    named = TaskRows.from_lists(tuple(f"task{task}" for task in range(tasks)), numbers)
    groups = np.arange(tasks) if groups is None else groups
    return Source.of(x.reshape(-1, features), named, groups)


def posterior(
    mean: np.ndarray, within: np.ndarray, between: np.ndarray, nu: float, support: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Give m(S) and C(S) as posterior.md writes them."""
    count = len(support)
    average = support.mean(axis=0) if count else mean
    gain = count * between @ np.linalg.inv(count * between + within)
    centre = mean + gain @ (average - mean)
    uncertain = between - gain @ between
    about = support - centre
    if np.isinf(nu):
        return centre, within + uncertain
    return centre, (nu * within + about.T @ about + count * uncertain) / (nu + count) + uncertain


def greedy(
    covariance: np.ndarray, weights: np.ndarray, ridge: float, steps: int
) -> tuple[list[int], list[float]]:
    """Choose by trying every feature: conditional covariances are computed anew for each."""
    chosen: list[int] = []
    errors = [float(weights @ np.diag(covariance))]
    noise = ridge * np.diag(covariance)
    for _ in range(steps):
        left = {
            feature: error_left(covariance, weights, noise, [*chosen, feature])
            for feature in range(len(covariance))
            if feature not in chosen
        }
        best = min(left, key=left.__getitem__)
        chosen.append(best)
        errors.append(left[best])
    return chosen, errors


def error_left(covariance: np.ndarray, weights: np.ndarray, noise: np.ndarray, measured: list[int]) -> float:
    """Give the expected error on what was not measured."""
    block = covariance[np.ix_(measured, measured)] + np.diag(noise[measured])
    rest = covariance - covariance[:, measured] @ np.linalg.solve(block, covariance[measured])
    others = np.setdiff1d(np.arange(len(covariance)), measured)
    return float(weights[others] @ np.diag(rest)[others])
