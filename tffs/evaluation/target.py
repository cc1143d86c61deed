"""Evaluation on the held-out target: select from its support, measure on its other rows."""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from tffs.data.splits import Split
from tffs.data.tasks import Tasks
from tffs.evaluation.clustering import cluster_quality
from tffs.selection import values_of

BATCH_ROWS = 8192
BATCH_BYTES = 64 * 2**20


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
    step = _batch_rows(rows.shape[1])
    parts = [
        np.asarray(decode(support[None], values_of(part[None], selected[None])))[0]
        for part in np.split(rows, range(step, len(rows), step))
    ]
    return np.concatenate(parts)


def _batch_rows(num_features: int) -> int:
    return int(np.clip(BATCH_BYTES // (4 * num_features), 1, BATCH_ROWS))


def target_batches(tasks: Tasks, split: Split) -> Iterator[np.ndarray]:
    """Give the target rows outside the support set, [rows, features] at a time."""
    step = _batch_rows(tasks.num_features)
    for start in range(0, len(split.target_test), step):
        yield tasks.matrix[split.target_test[start : start + step]]


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
    support = tasks.matrix[split.target_support]
    selected = np.asarray(model.select(tf.constant(support[None])))[0]
    classifies = model.num_classes is not None
    decode = predict_labels if classifies else reconstruct_rows

    def answer(rows: np.ndarray) -> np.ndarray:
        return decode(model, support, rows, selected)

    return measure_selection(selected, answer, classifies, tasks, split, source_mean, seed)


def measure_selection(
    selected: np.ndarray,
    answer: Callable[[np.ndarray], np.ndarray | None],
    classifies: bool,
    tasks: Tasks,
    split: Split,
    source_mean: np.ndarray,
    seed: int,
) -> TargetFigures:
    """Measure chosen features, and what is made of them, on the target rows outside the support set.

    Args:
        selected: int [K].
        answer: makes of rows [rows, features], a batch at a time, their reconstruction, or their labels int
            [rows]; None where nothing can be made.
        classifies: whether it makes labels.
        tasks: all rows, in scaled units.
        split: which rows are the target's.
        source_mean: [features], what an answer without any features would be.
        seed: of the clustering.
    """
    distinct = np.unique(selected)
    values, answers, by_mean = [], [], []
    for rows in target_batches(tasks, split):
        values.append(rows[:, distinct])
        by_mean.append(_errors(rows, source_mean))
        made = answer(rows)
        if made is not None:
            answers.append(made if classifies else _errors(rows, made))
    quality = accuracy = None
    if tasks.labels is not None:
        classes, labels = len(np.unique(tasks.labels)), tasks.labels[split.target_test]
        quality = cluster_quality(np.concatenate(values), labels, classes, seed)
        accuracy = 100.0 * float(np.mean(np.concatenate(answers) == labels)) if classifies else None
    msre = float(np.concatenate(answers).mean()) if answers and not classifies else None
    mean_error = float(np.concatenate(by_mean).mean())
    return TargetFigures(
        msre=msre,
        relative_error=msre / mean_error if msre is not None and mean_error > 0 else None,
        accuracy=accuracy,
        ari=None if quality is None else quality.ari,
        nmi=None if quality is None else quality.nmi,
        distinct=len(distinct),
        selected=tuple(int(feature) for feature in selected),
    )


def _errors(rows: np.ndarray, answer: np.ndarray) -> np.ndarray:
    """Give the squared error of each row, summed over the features."""
    return np.square(rows - answer).sum(axis=1, dtype=np.float64)
