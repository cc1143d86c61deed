"""Measure a fitted method on a cell's target: figures, stability, speed, and a picture."""

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tffs.evaluation.picture import image_shape
from tffs.evaluation.stability import mean_jaccard
from tffs.evaluation.target import TargetFigures, measure_selection
from tffs.experiments.classifier import FittedClassifier
from tffs.experiments.fitted import Fitted
from tffs.planning.setting import Setting

STABILITY_SUPPORTS = 10
TIMED_SELECTIONS = 5
PICTURED_ROWS = 10


def best_figures(fitted: Fitted, setting: Setting, num_selected: int) -> tuple[int, TargetFigures]:
    """Measure what a method chose: of several choices the best on the test rows, as the paper did.

    Returns:
        Which candidate it is, and its figures. Best is the highest ARI.
    """
    tasks, split = setting.tasks, setting.split
    support = tasks.matrix[split.target_support]
    classifies = isinstance(fitted, FittedClassifier)
    decode = fitted.predict if isinstance(fitted, FittedClassifier) else fitted.reconstruct
    measured: dict[tuple[int, ...], TargetFigures] = {}  # K-means sees a set, so equal sets are one
    figures = []
    for selected in fitted.candidates(support, num_selected):
        key = tuple(np.unique(selected).tolist())
        if key not in measured:
            answer = functools.partial(_answer, decode, support, selected)
            measured[key] = measure_selection(
                selected, answer, classifies, tasks, split, setting.source_mean, setting.config.seed
            )
        figures.append(measured[key])
    which = max(range(len(figures)), key=lambda number: figures[number].ari or 0.0)
    return which, figures[which]


def _answer(
    decode: Callable[..., np.ndarray | None], support: np.ndarray, selected: np.ndarray, rows: np.ndarray
) -> np.ndarray | None:
    return decode(support, rows, selected)


def stability(fitted: Fitted, setting: Setting, which: int, num_selected: int) -> float | None:
    """Give the mean Jaccard index of the features chosen from different supports of the target.

    Args:
        fitted: the method; one that was fitted to its support cannot be asked, and gives None.
        setting: the cell's run.
        which: the candidate whose stability it is.
        num_selected: K.
    """
    if not fitted.any_support:
        return None
    split, rng = setting.split, np.random.default_rng([setting.config.seed, 4])
    rows, size = np.concatenate([split.target_support, split.target_test]), len(split.target_support)
    supports = [rng.choice(rows, size, replace=False) for _ in range(STABILITY_SUPPORTS)]
    matrix = setting.tasks.matrix
    return mean_jaccard(
        [set(fitted.candidates(matrix[chosen], num_selected)[which].tolist()) for chosen in supports]
    )


def select_seconds(fitted: Fitted, setting: Setting, num_selected: int) -> float | None:
    """Give the median time of a selection from a support set, for methods that do not learn anew for it."""
    if not fitted.any_support or fitted.best_step is None:
        return None
    support = setting.tasks.matrix[setting.split.target_support]
    fitted.candidates(support, num_selected)
    times = []
    for _ in range(TIMED_SELECTIONS):
        began = time.perf_counter()
        fitted.candidates(support, num_selected)
        times.append(time.perf_counter() - began)
    return float(np.median(times))


def picture(fitted: Fitted, setting: Setting, figures: TargetFigures) -> dict[str, Any] | None:
    """Give a test image of each class and its reconstruction as plain numbers, where features are pixels."""
    tasks, split = setting.tasks, setting.split
    shape = image_shape(tasks.feature_names)
    if shape is None or tasks.labels is None:
        return None
    labels, first = np.unique(tasks.labels[split.target_test], return_index=True)
    rows = tasks.matrix[split.target_test[first[:PICTURED_ROWS]]]
    support = tasks.matrix[split.target_support]
    reconstruction = fitted.reconstruct(support, rows, np.asarray(figures.selected))
    if reconstruction is None:
        return None
    return {
        "shape": list(shape),
        "labels": labels[:PICTURED_ROWS].tolist(),
        "originals": np.round(rows, 3).astype(float).round(3).tolist(),
        "reconstructions": np.asarray(reconstruction, float).round(3).tolist(),
        "selected_indices": list(figures.selected),
    }
