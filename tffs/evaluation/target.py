"""Evaluation on the held-out target: select from its support, measure on its other rows."""

import dataclasses
from collections.abc import Callable
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
        accuracy: percentage of rows whose label was predicted, or None where none was.
        ari: adjusted Rand index in percent, or None without labels.
        nmi: normalized mutual information in percent, or None without labels.
        distinct: how many different features were selected.
        selected: the K features in the selectors' order.
    """

    msre: float | None
    relative_error: float | None
    accuracy: float | None
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
    return _in_batches(model.reconstruct, support, rows, selected)


def predict_labels(model: Any, support: np.ndarray, rows: np.ndarray, selected: np.ndarray) -> np.ndarray:
    """Predict the labels of rows of one task from their selected features.

    Args:
        model: has `classify`.
        support: [support, features].
        rows: [rows, features]; only the selected features are read.
        selected: int [K].

    Returns:
        int64 [rows].
    """
    return _in_batches(model.classify, support, rows, selected).argmax(axis=-1)


def _in_batches(
    decode: Callable[[Any, Any], Any], support: np.ndarray, rows: np.ndarray, selected: np.ndarray
) -> np.ndarray:
    parts = [
        np.asarray(decode(support[None], values_of(part[None], selected[None])))[0]
        for part in np.split(rows, range(BATCH_ROWS, len(rows), BATCH_ROWS))
    ]
    return np.concatenate(parts)


def evaluate_on_target(
    model: Any, tasks: Tasks, split: Split, source_mean: np.ndarray, seed: int
) -> TargetFigures:
    """Measure `model` on the target rows outside the support set.

    Args:
        model: has `select`, and `reconstruct` or `classify`.
        tasks: all rows, in scaled units.
        split: which rows are the target's.
        source_mean: [features], what an answer without any features would be.
        seed: of the clustering.
    """
    support, rows = tasks.matrix[split.target_support], tasks.matrix[split.target_test]
    selected = np.asarray(model.select(tf.constant(support[None])))[0]
    reconstruction = predicted = None
    if model.num_classes is None:
        reconstruction = reconstruct_rows(model, support, rows, selected)
    else:
        predicted = predict_labels(model, support, rows, selected)
    return measure_selection(selected, reconstruction, tasks, split, source_mean, seed, predicted)


def measure_selection(
    selected: np.ndarray,
    reconstruction: np.ndarray | None,
    tasks: Tasks,
    split: Split,
    source_mean: np.ndarray,
    seed: int,
    predicted: np.ndarray | None = None,
) -> TargetFigures:
    """Measure chosen features, and what was made of them, on the target rows outside the support set.

    Args:
        selected: int [K].
        reconstruction: [test rows, features], or None where nothing was reconstructed.
        tasks: all rows, in scaled units.
        split: which rows are the target's.
        source_mean: [features], what an answer without any features would be.
        seed: of the clustering.
        predicted: int [test rows], or None where no label was predicted.
    """
    rows = tasks.matrix[split.target_test]
    distinct = np.unique(selected)
    quality = accuracy = None
    if tasks.labels is not None:
        classes, labels = len(np.unique(tasks.labels)), tasks.labels[split.target_test]
        quality = cluster_quality(rows[:, distinct], labels, classes, seed)
        accuracy = None if predicted is None else 100.0 * float(np.mean(predicted == labels))
    msre = None if reconstruction is None else _mean_error(rows, reconstruction)
    by_mean = _mean_error(rows, source_mean)
    return TargetFigures(
        msre=msre,
        relative_error=msre / by_mean if msre is not None and by_mean > 0 else None,
        accuracy=accuracy,
        ari=None if quality is None else quality.ari,
        nmi=None if quality is None else quality.nmi,
        distinct=len(distinct),
        selected=tuple(int(feature) for feature in selected),
    )


def _mean_error(rows: np.ndarray, answer: np.ndarray) -> float:
    return float(np.square(rows - answer).sum(axis=1, dtype=np.float64).mean())
