"""Fit the methods that rank features without learning."""

import functools

import numpy as np

from tffs.baselines.laplacian_score import laplacian_ranking
from tffs.baselines.spec import spec_ranking
from tffs.errors import UserError
from tffs.experiments.catalogue import HEATS, NEIGHBOURS, Fixed, Ranked
from tffs.experiments.fitted import FittedRanking
from tffs.modes.setting import Setting

_SPEC_ORDERS = {"spec": "library", "spec_corrected": "corrected"}


def rank(method: Ranked | Fixed, setting: Setting) -> FittedRanking:
    """Rank the features by what the method may see: the target's support, and the source tasks' rows or not."""
    matrix, split = setting.tasks.matrix, setting.split
    support = matrix[split.target_support]
    if isinstance(method, Fixed):
        features = np.arange(setting.tasks.num_features)
        return FittedRanking(lambda support: [features], support, any_support=False)
    source = np.zeros(0, np.int64)
    if method.rows == "source_and_support":
        source = np.concatenate([split.train.rows, split.validation.rows])
    rankings = functools.partial(_rankings, method, matrix[source])
    return FittedRanking(rankings, support, any_support=method.rows == "support")


def _rankings(method: Ranked, source: np.ndarray, support: np.ndarray) -> list[np.ndarray]:
    """Give one ranking, or one for each choice of the Laplacian score's parameters."""
    rows = np.concatenate([source, support])
    if method.score in _SPEC_ORDERS:
        return [spec_ranking(rows, _SPEC_ORDERS[method.score])]
    neighbours = [count for count in NEIGHBOURS[method.rows] if count < len(rows)]
    if not neighbours:
        raise UserError("The Laplacian score needs at least two rows: raise --support_sizes.")
    return [laplacian_ranking(rows, count, heat) for count in neighbours for heat in HEATS]
