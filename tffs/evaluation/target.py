"""Evaluation on the held-out target: select from its support, measure on its other rows."""

from collections.abc import Callable

import numpy as np

from tffs.data.batches import batches
from tffs.data.splits import Split
from tffs.data.tasks import Tasks
from tffs.evaluation.clustering import cluster_quality
from tffs.evaluation.figures import Figures
from tffs.methods.fitted import Fitted
from tffs.planning.setting import Setting


def evaluate_on_target(fitted: Fitted, setting: Setting, num_selected: int) -> tuple[int, Figures]:
    """Measure what a method chose from the target's support: of several choices the best, as the paper did.

    Args:
        fitted: the method.
        setting: the run, which holds a target out.
        num_selected: K.

    Returns:
        Which candidate it is, and its figures on the target's other rows. Best is the highest ARI.
    """
    tasks, split = setting.tasks, setting.split
    support = tasks.matrix[split.target_support]
    measured: dict[tuple[int, ...], Figures] = {}  # K-means sees a set, so equal sets are one
    figures = []
    for selected in fitted.candidates(support, num_selected):
        key = tuple(np.unique(selected).tolist())
        if key not in measured:

            def answer(rows: np.ndarray, selected: np.ndarray = selected) -> np.ndarray | None:
                return fitted.answer(support, rows, selected)

            measured[key] = measure_selection(
                selected, answer, fitted.classifies, tasks, split, setting.source_mean, setting.config.seed
            )
        figures.append(measured[key])
    which = max(range(len(figures)), key=lambda number: figures[number].ari or 0.0)
    return which, figures[which]


def measure_selection(
    selected: np.ndarray,
    answer: Callable[[np.ndarray], np.ndarray | None],
    classifies: bool,
    tasks: Tasks,
    split: Split,
    source_mean: np.ndarray,
    seed: int,
) -> Figures:
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
    unmeasured = np.setdiff1d(np.arange(tasks.num_features), distinct)
    values, predicted, errors, errors_unmeasured, errors_of_mean = [], [], [], [], []
    for rows in batches(tasks, split.target_test):
        values.append(rows[:, distinct])
        errors_of_mean.append(_errors(rows, source_mean))
        made = answer(rows)
        if made is not None and classifies:
            predicted.append(made)
        elif made is not None:
            errors.append(_errors(rows, made))
            errors_unmeasured.append(_errors(rows[:, unmeasured], made[:, unmeasured]))
    quality = accuracy = None
    if tasks.labels is not None:
        classes, labels = len(np.unique(tasks.labels)), tasks.labels[split.target_test]
        quality = cluster_quality(np.concatenate(values), labels, classes, seed)
        accuracy = 100.0 * float(np.mean(np.concatenate(predicted) == labels)) if classifies else None
    msre = _mean(errors)
    by_mean = _mean(errors_of_mean)
    return Figures(
        msre=msre,
        msre_unmeasured=_mean(errors_unmeasured),
        relative_error=msre / by_mean if msre is not None and by_mean else None,
        accuracy=accuracy,
        ari=None if quality is None else quality.ari,
        nmi=None if quality is None else quality.nmi,
        distinct=len(distinct),
        selected=tuple(int(feature) for feature in selected),
    )


def chance(labels: np.ndarray, source: np.ndarray, rows: np.ndarray) -> float:
    """Give the accuracy, in percent, of always answering the source tasks' commonest class.

    Args:
        labels: int [all rows], from 0.
        source: row numbers of the source tasks.
        rows: row numbers of those to answer for.
    """
    return 100.0 * float(np.mean(labels[rows] == np.bincount(labels[source]).argmax()))


def _errors(rows: np.ndarray, answer: np.ndarray) -> np.ndarray:
    """Give the squared error of each row, summed over the features."""
    return np.square(rows - answer).sum(axis=1, dtype=np.float64)


def _mean(parts: list[np.ndarray]) -> float | None:
    return float(np.concatenate(parts).mean()) if parts else None
