"""Fit the methods that rank features without learning."""

import functools

import numpy as np

from tffs.baselines.laplacian_score import laplacian_ranking
from tffs.baselines.scikit_feature import library_laplacian_ranking, library_spec_ranking
from tffs.baselines.spec import spec_ranking
from tffs.errors import UserError
from tffs.experiments.fitted import FittedRanking
from tffs.methods.catalogue import HEATS, NEIGHBOURS, Fixed, Ranked
from tffs.planning.setting import Setting


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
    """Give one ranking, or one for each choice of the Laplacian score's parameters.

    The few rows of a target go through scikit-feature itself; thousands go through our own versions, which are
    faster and give the same order but where the library's is rounding.
    """
    rows = np.concatenate([source, support])
    few = method.rows == "support"
    if method.score == "spec_corrected":
        return [spec_ranking(rows, "corrected")]
    if method.score == "spec":
        return [library_spec_ranking(rows) if few else spec_ranking(rows, "library")]
    neighbours = [count for count in NEIGHBOURS[method.rows] if count < len(rows)]
    if not neighbours:
        raise UserError("The Laplacian score needs at least two rows: raise --support_sizes.")
    ranking = library_laplacian_ranking if few else laplacian_ranking
    return [ranking(rows, count, heat) for count in neighbours for heat in HEATS]
