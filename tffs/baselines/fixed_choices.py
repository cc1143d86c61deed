"""Features that need no learning to choose, the same for every task."""

import numpy as np

from tffs.data.source_statistics import variances
from tffs.data.tasks import TaskRows, Tasks


def random_features(tasks: Tasks, train: TaskRows, num_selected: int, seed: int) -> np.ndarray:
    """Draw K different features."""
    return np.random.default_rng([seed, 3]).choice(tasks.num_features, num_selected, replace=False)


def highest_variance_features(tasks: Tasks, train: TaskRows, num_selected: int, seed: int) -> np.ndarray:
    """Take the K features that vary most over the source tasks' training rows."""
    variance = variances(tasks.matrix, np.sort(train.rows))
    return np.argsort(-variance, kind="stable")[:num_selected]


def all_features(tasks: Tasks, train: TaskRows, num_selected: int, seed: int) -> np.ndarray:
    """Take every feature."""
    return np.arange(tasks.num_features)


def every_feature(source: np.ndarray, support: np.ndarray) -> list[np.ndarray]:
    """Rank the features in their own order, for a choice of all of them."""
    return [np.arange(support.shape[1])]
