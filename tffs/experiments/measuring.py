"""What else is measured of a fitted method on a cell's target: stability, speed, and a picture."""

import time
from typing import Any

import numpy as np

from tffs.evaluation.figures import Figures
from tffs.evaluation.picture import image_shape
from tffs.evaluation.stability import mean_jaccard
from tffs.methods.fitted import Fitted
from tffs.planning.setting import Setting

STABILITY_SUPPORTS = 10
TIMED_SELECTIONS = 5
PICTURED_ROWS = 10


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


def picture(fitted: Fitted, setting: Setting, figures: Figures) -> dict[str, Any] | None:
    """Give a test image of each class and its reconstruction as plain numbers, where features are pixels."""
    tasks, split = setting.tasks, setting.split
    shape = image_shape(tasks.feature_names)
    if shape is None or tasks.labels is None or fitted.classifies:
        return None
    labels, first = np.unique(tasks.labels[split.target_test], return_index=True)
    rows = tasks.matrix[split.target_test[first[:PICTURED_ROWS]]]
    support = tasks.matrix[split.target_support]
    reconstruction = fitted.answer(support, rows, np.asarray(figures.selected))
    if reconstruction is None:
        return None
    return {
        "shape": list(shape),
        "labels": labels[:PICTURED_ROWS].tolist(),
        "originals": np.round(rows, 3).astype(float).round(3).tolist(),
        "reconstructions": np.asarray(reconstruction, float).round(3).tolist(),
        "selected_indices": list(figures.selected),
    }
