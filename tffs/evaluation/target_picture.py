"""What is known of the target, as a picture: images where the features are pixels, else a bar a feature."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np

from tffs.data.batches import batches
from tffs.evaluation.feature_chart import draw_feature_errors, feature_errors
from tffs.evaluation.figures import Figures
from tffs.evaluation.picture import draw_reconstructions, image_shape
from tffs.methods.fitted import Fitted
from tffs.planning.setting import Setting

PICTURE = "reconstructions.png"
CHOSEN = "chosen.png"
CHART = "features.png"
PICTURED_ROWS = 10


def draw_target(
    setting: Setting, fitted: Fitted, figures: Figures, replacing: Callable[[str], AbstractContextManager[str]]
) -> None:
    """Draw what was chosen for the target and what is known from it.

    Args:
        setting: the run.
        fitted: what chose.
        figures: what was measured of it.
        replacing: gives the path to write a picture of a name to.
    """
    tasks, split, data = setting.tasks, setting.split, setting.config.data
    selected, support = np.asarray(figures.selected), tasks.matrix[split.target_support]
    title = f"{data.name.shown}, task {data.target_task}, never seen in training"
    shape = image_shape(tasks.feature_names)
    if shape is None:
        if not fitted.classifies:  # bars show how well features are known
            batched = batches(tasks, split.target_test)
            answered = ((rows, fitted.answer(support, rows, selected)) for rows in batched)
            pairs = ((rows, made) for rows, made in answered if made is not None)
            errors = feature_errors(pairs, setting.source_mean)
            with replacing(CHART) as path:
                draw_feature_errors(path, tasks.feature_names, errors, figures.selected, title)
        return
    chosen = split.target_test
    if tasks.labels is not None:
        _, first = np.unique(tasks.labels[chosen], return_index=True)
        chosen = chosen[first]
    rows = tasks.matrix[chosen[:PICTURED_ROWS]]
    with replacing(CHOSEN if fitted.classifies else PICTURE) as path:
        draw_reconstructions(
            path,
            shape,
            rows,
            None if fitted.classifies else fitted.answer(support, rows, selected),
            support,
            figures.selected,
            f"{title}: {figures.distinct} of {tasks.num_features} pixels chosen from {len(support)} images",
        )
