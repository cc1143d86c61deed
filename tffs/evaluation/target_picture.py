"""What is known of the target, as a picture: images where the features are pixels, else a bar a feature."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

import numpy as np

from tffs.data.batches import batches
from tffs.evaluation.feature_chart import draw_feature_errors, feature_errors
from tffs.evaluation.figures import Figures
from tffs.evaluation.picture import Pictured, draw_reconstructions, image_shape
from tffs.methods.fitted import Fitted
from tffs.methods.posterior import FittedPosterior
from tffs.planning.setting import Setting

PICTURE = "reconstructions.png"
CHOSEN = "chosen.png"
CHART = "features.png"
PICTURED_ROWS = 10


def draw_target(
    setting: Setting,
    methods: Mapping[str, tuple[Fitted, Figures]],
    replacing: Callable[[str], AbstractContextManager[str]],
) -> None:
    """Draw what was chosen for the target and what is known from it.

    Args:
        setting: the run.
        methods: what chose, and what was measured of it, by what people call it; the run's own first. A chart
            of features has the first alone.
        replacing: gives the path to write a picture of a name to.
    """
    data = setting.config.data
    title = f"{data.name.shown}, task {data.target_task}, never seen in training"
    shape = image_shape(setting.tasks.feature_names)
    fitted, figures = next(iter(methods.values()))
    if shape is not None:
        with replacing(CHOSEN if fitted.classifies else PICTURE) as path:
            _draw_images(path, shape, setting, methods, title)
    elif not fitted.classifies:  # bars show how well features are known
        with replacing(CHART) as path:
            _draw_features(path, setting, fitted, figures, title)


def _draw_features(path: str, setting: Setting, fitted: Fitted, figures: Figures, title: str) -> None:
    tasks, split = setting.tasks, setting.split
    selected, support = np.asarray(figures.selected), tasks.matrix[split.target_support]
    batched = batches(tasks, split.target_test)
    answered = ((rows, fitted.answer(support, rows, selected)) for rows in batched)
    pairs = ((rows, made) for rows, made in answered if made is not None)
    errors = feature_errors(pairs, setting.source_mean)
    draw_feature_errors(path, tasks.feature_names, errors, figures.selected, title)


def _draw_images(
    path: str,
    shape: tuple[int, int],
    setting: Setting,
    methods: Mapping[str, tuple[Fitted, Figures]],
    title: str,
) -> None:
    tasks, split = setting.tasks, setting.split
    chosen = split.target_test
    if tasks.labels is not None:
        _, first = np.unique(tasks.labels[chosen], return_index=True)
        chosen = chosen[first]
    rows, support = tasks.matrix[chosen[:PICTURED_ROWS]], tasks.matrix[split.target_support]
    count = next(iter(methods.values()))[1].distinct
    draw_reconstructions(
        path,
        shape,
        rows,
        support,
        [_pictured(name, fitted, figures, support, rows) for name, (fitted, figures) in methods.items()],
        f"{title}: {count} of {tasks.num_features} pixels chosen from {len(support)} images",
    )


def _pictured(name: str, fitted: Fitted, figures: Figures, support: np.ndarray, rows: np.ndarray) -> Pictured:
    """Let a method reconstruct images; a posterior knows where it is unsure."""
    selected = np.asarray(figures.selected)
    if isinstance(fitted, FittedPosterior):
        mean, variance = fitted.inferred_from(support, rows, selected)
        return Pictured(name, figures.selected, mean, np.sqrt(variance))
    return Pictured(
        name, figures.selected, None if fitted.classifies else fitted.answer(support, rows, selected)
    )
