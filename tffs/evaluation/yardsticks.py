"""Honest yardsticks: features that need no learning to choose, and an answer that needs no features."""

import numpy as np

from tffs.data.source_statistics import variances
from tffs.data.tasks import TaskRows, Tasks


def random_features(num_features: int, num_selected: int, seed: int) -> np.ndarray:
    """Draw K different features."""
    return np.random.default_rng([seed, 3]).choice(num_features, num_selected, replace=False)


def highest_variance_features(tasks: Tasks, train: TaskRows, num_selected: int) -> np.ndarray:
    """Take the K features that vary most over the source tasks' training rows."""
    variance = variances(tasks.matrix, np.sort(train.rows))
    return np.argsort(-variance, kind="stable")[:num_selected]


def chance(labels: np.ndarray, source: np.ndarray, rows: np.ndarray) -> float:
    """Give the accuracy, in percent, of always answering the source tasks' commonest class.

    Args:
        labels: int [all rows], from 0.
        source: row numbers of the source tasks.
        rows: row numbers of those to answer for.
    """
    return 100.0 * float(np.mean(labels[rows] == np.bincount(labels[source]).argmax()))
