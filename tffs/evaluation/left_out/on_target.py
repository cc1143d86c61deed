"""Measure a run's model on its held-out task in the same way as on tasks that are left out."""

from collections.abc import Mapping

import numpy as np

from tffs.evaluation.left_out.examiner import Exam, Examined, Examiner
from tffs.evaluation.left_out.folds import OTHER_SUPPORTS
from tffs.methods.pooled import FittedOrder
from tffs.methods.posterior import FittedPosterior
from tffs.planning.setting import Setting


def on_target(
    fitted: FittedPosterior, setting: Setting, yardsticks: Mapping[str, FittedOrder], counts: tuple[int, ...]
) -> Examined:
    """Measure the target alone.

    Args:
        fitted: the run's model.
        setting: the run, which holds a task out.
        yardsticks: what is measured beside it, by name.
        counts: numbers of measured features.
    """
    config, split = setting.config, setting.split
    assert config.data.held_out is not None
    rng = np.random.default_rng([config.seed, 4])
    rows, size = np.concatenate([split.target_support, split.target_test]), len(split.target_support)
    others = [rng.choice(rows, size, replace=False) for _ in range(OTHER_SUPPORTS if size else 0)]
    exam = Exam(config.data.held_out, split.target_support, others, split.target_test)
    examiner = Examiner(setting.tasks.matrix, config.model.num_selected, counts)
    orders = {name: yardstick.order for name, yardstick in yardsticks.items()}
    pooled = next((yardstick.model for yardstick in yardsticks.values()), None)
    weights = np.ones(setting.tasks.num_features)
    return examiner.examine(fitted.model, [exam], weights, setting.source_mean, pooled, orders)
