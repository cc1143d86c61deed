"""What `result.json` holds: the figures of a run, and how it was made."""

from collections.abc import Mapping
from typing import Any

from tffs.evaluation.figures import NO_FIGURES, Figures
from tffs.evaluation.target import chance
from tffs.methods.fitted import FittedModel
from tffs.planning.setting import Setting
from tffs.provenance import versions


def result_of(
    setting: Setting, fitted: FittedModel, figures: Figures | None, yardsticks: Mapping[str, Figures]
) -> dict[str, Any]:
    """Put a result together.

    Args:
        setting: the run.
        fitted: its model.
        figures: what was measured on the target, or None where no task was held out.
        yardsticks: the same for choices that need no learning, by name.
    """
    config, summary = setting.config, fitted.summary
    names = setting.tasks.feature_names
    measured = _on_validation(setting, fitted) if figures is None else figures.by_metric()
    return {
        "dataset": config.data.name.shown,
        "scaling": config.data.scaling,
        "seed": config.seed,
        "target_task": None if figures is None else config.data.target_task,
        "validation_task": config.data.validation_task,
        "support_size": config.data.support_size,
        "num_selected": config.model.num_selected,
        "steps": config.training.steps,
        "best_step": summary.best_step,
        "train_seconds": summary.train_seconds,
        "steps_per_second": summary.steps_per_second,
        "compile_seconds": summary.compile_seconds,
        "validation_seconds": summary.validation_seconds,
        "evaluated_on": "validation" if figures is None else "target",
        **measured,
        "selected": None if figures is None else [names[feature] for feature in figures.selected],
        "classes": list(setting.classes) or None,
        "chance": _chance(setting) if setting.classes else None,
        "yardsticks": {name: figure.by_metric() for name, figure in yardsticks.items()},
        "versions": versions(),
    }


def _on_validation(setting: Setting, fitted: FittedModel) -> dict[str, Any]:
    """Give the figures of the validation episodes, where no task was held out."""
    validator, summary = setting.validator(fitted.model), fitted.summary
    measured: dict[str, Any] = {**NO_FIGURES, "distinct": summary.validation_distinct}
    if setting.classes:
        return {**measured, "accuracy": validator.accuracy()}
    msre, by_mean = summary.validation_loss, validator.error_of(setting.source_mean)
    return {**measured, "msre": msre, "relative_error": msre / by_mean if by_mean > 0 else None}


def _chance(setting: Setting) -> float:
    split, labels = setting.split, setting.tasks.labels
    assert labels is not None
    held_out = setting.config.data.target_task != "none"
    return chance(labels, split.train.rows, split.target_test if held_out else split.validation.rows)
