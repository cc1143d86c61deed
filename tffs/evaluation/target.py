"""Evaluation on the held-out target: select from its support, measure on its other rows."""

import dataclasses
from typing import Any

import numpy as np
import tensorflow as tf

from tffs.data.splits import Split
from tffs.data.tasks import Tasks
from tffs.evaluation.clustering import cluster_quality
from tffs.selection import values_of

BATCH_ROWS = 8192


@dataclasses.dataclass(frozen=True)
class TargetFigures:
    """What a model did on the target.

    Attributes:
        msre: mean over rows of the squared error summed over features, in scaled units; None where nothing was
            reconstructed.
        relative_error: the same as a share of the error of always answering the source tasks' mean; None where
            that makes no error.
        ari: adjusted Rand index in percent, or None without labels.
        nmi: normalized mutual information in percent, or None without labels.
        distinct: how many different features were selected.
        selected: the K features in the selectors' order.
    """

    msre: float | None
    relative_error: float | None
    ari: float | None
    nmi: float | None
    distinct: int
    selected: tuple[int, ...]


def reconstruct_rows(model: Any, support: np.ndarray, rows: np.ndarray, selected: np.ndarray) -> np.ndarray:
    """Reconstruct rows of one task from their selected features.

    Args:
        model: has `reconstruct`.
        support: [support, features].
        rows: [rows, features]; only the selected features are read.
        selected: int [K].

    Returns:
        [rows, features].
    """
    parts = [
        np.asarray(model.reconstruct(support[None], values_of(part[None], selected[None])))[0]
        for part in np.split(rows, range(BATCH_ROWS, len(rows), BATCH_ROWS))
    ]
    return np.concatenate(parts)


def evaluate_on_target(
    model: Any, tasks: Tasks, split: Split, source_mean: np.ndarray, seed: int
) -> TargetFigures:
    """Measure `model` on the target rows outside the support set.

    Args:
        model: has `select` and `reconstruct`.
        tasks: all rows, in scaled units.
        split: which rows are the target's.
        source_mean: [features], what an answer without any features would be.
        seed: of the clustering.
    """
    support, rows = tasks.matrix[split.target_support], tasks.matrix[split.target_test]
    selected = np.asarray(model.select(tf.constant(support[None])))[0]
    reconstruction = reconstruct_rows(model, support, rows, selected)
    return measure_selection(selected, reconstruction, tasks, split, source_mean, seed)


def measure_selection(
    selected: np.ndarray,
    reconstruction: np.ndarray | None,
    tasks: Tasks,
    split: Split,
    source_mean: np.ndarray,
    seed: int,
) -> TargetFigures:
    """Measure chosen features, and what was made of them, on the target rows outside the support set.

    Args:
        selected: int [K].
        reconstruction: [test rows, features], or None where the choice comes without a decoder.
        tasks: all rows, in scaled units.
        split: which rows are the target's.
        source_mean: [features], what an answer without any features would be.
        seed: of the clustering.
    """
    rows = tasks.matrix[split.target_test]
    distinct = np.unique(selected)
    quality = None
    if tasks.labels is not None:
        classes = len(np.unique(tasks.labels))
        quality = cluster_quality(rows[:, distinct], tasks.labels[split.target_test], classes, seed)
    msre = None if reconstruction is None else _mean_error(rows, reconstruction)
    by_mean = _mean_error(rows, source_mean)
    return TargetFigures(
        msre=msre,
        relative_error=msre / by_mean if msre is not None and by_mean > 0 else None,
        ari=None if quality is None else quality.ari,
        nmi=None if quality is None else quality.nmi,
        distinct=len(distinct),
        selected=tuple(int(feature) for feature in selected),
    )


def _mean_error(rows: np.ndarray, answer: np.ndarray) -> float:
    return float(np.square(rows - answer).sum(axis=1, dtype=np.float64).mean())
