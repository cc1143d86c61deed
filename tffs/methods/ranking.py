"""Fit the methods that rank features without learning."""

import functools

import numpy as np

from tffs.methods.catalogue import Ranked, baseline
from tffs.methods.fitted import FittedRanking
from tffs.planning.setting import Setting


def rank(method: Ranked, setting: Setting) -> FittedRanking:
    """Rank the features by what the method may see: the target's support, and the source tasks' rows or not."""
    matrix, split = setting.tasks.matrix, setting.split
    source = np.zeros(0, np.int64)
    if method.rows == "source_and_support":
        source = np.concatenate([split.train.rows, split.validation.rows])
    rankings = functools.partial(baseline(method.baseline), matrix[source])
    return FittedRanking(rankings, matrix[split.target_support], any_support=method.rows == "support")
