"""All figures of a posterior on tasks that were left out in turn."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tffs.evaluation.figures import Figures
from tffs.evaluation.left_out.counts import curve_counts
from tffs.evaluation.left_out.folds import on_left_out_tasks
from tffs.evaluation.left_out.summary import Summary
from tffs.methods.catalogue import Method, Pooled, Posterior
from tffs.methods.posterior import FittedPosterior
from tffs.planning.setting import Setting


class Measured(NamedTuple):
    """What was measured on tasks that were left out.

    Attributes:
        own: medians over the tasks.
        yardsticks: the same for other choices, by name.
        unseen: what result.json holds of the tasks, the curve, the features, stability and extremes.
    """

    own: Figures
    yardsticks: dict[str, Figures]
    unseen: dict[str, Any]


def measured_on_left_out(
    method: Posterior,
    setting: Setting,
    fitted: FittedPosterior,
    yardsticks: Mapping[str, Method],
    share: Callable[[str, float], None],
) -> Measured | None:
    """Leave every task out once, in folds, and measure it; None where there is only one.

    Args:
        method: what was fitted.
        setting: the run, which holds no task out.
        fitted: the model of all tasks.
        yardsticks: what is measured beside it, by name; those that are fitted in closed form.
        share: is called with what is being done and the share of it that is done.
    """
    config, features = setting.config, setting.tasks.num_features
    counts = curve_counts(features, config.model.num_selected)
    orders = {name: other for name, other in yardsticks.items() if isinstance(other, Pooled)}
    found = on_left_out_tasks(method, setting, orders, counts, share, fitted.facts)
    if found is None:
        return None
    summary = Summary(found, counts, setting)
    selected = fitted.candidates(np.zeros((0, features), np.float32), config.model.num_selected)[0]
    unseen = {"left_out": summary.left_out(min(config.data.folds, len(found.tasks))), **summary.facts()}
    return Measured(summary.own(selected.tolist()), summary.yardsticks(), unseen)
