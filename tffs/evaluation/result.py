"""What `result.json` holds: the figures of a run, and how it was made."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tffs.evaluation.figures import NO_FIGURES, Figures
from tffs.evaluation.target import chance
from tffs.methods.fitted import FittedRun
from tffs.planning.setting import Setting
from tffs.provenance import versions

TARGET, LEFT_OUT, VALIDATION = "target", "left_out", "validation"  # what figures are measured on
OF_UNSEEN = (
    "left_out",
    "tasks",
    "curve",
    "features",
    "stability",
    "swaps",
    "extremes",
)  # see `left_out.Summary`
_CLOCKS = ("steps_per_second", "compile_seconds", "validation_seconds")  # of a training


def result_of(
    setting: Setting,
    fitted: FittedRun,
    figures: Figures | None,
    yardsticks: Mapping[str, Figures],
    unseen: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Put a result together.

    Args:
        setting: the run.
        fitted: its model.
        figures: what was measured on the target or on tasks that were left out; None for a run that validated
            and held no task out.
        yardsticks: the same for choices that need no learning, by name.
        unseen: more of what was measured of a posterior on tasks that it has not seen: some of `OF_UNSEEN`.
    """
    config, summary = setting.config, fitted.summary
    names = setting.tasks.feature_names
    measured = _on_validation(setting, fitted) if figures is None else figures.by_metric()
    return {
        "dataset": config.data.name.shown,
        "scaling": config.data.scaling,
        "seed": config.seed,
        "target_task": config.data.held_out,
        "validation_task": config.data.validation_task,
        "support_size": config.data.support_size,
        "num_selected": config.model.num_selected,
        "method": config.method,
        "chosen": fitted.facts or None,
        "steps": steps_of(setting, fitted),
        "best_step": fitted.best_step,
        "train_seconds": fitted.seconds,
        **{name: getattr(summary, name, None) for name in _CLOCKS},
        "evaluated_on": _evaluated_on(setting, figures),
        **measured,
        "selected": None if figures is None else [names[feature] for feature in figures.selected],
        "classes": list(setting.classes) or None,
        "chance": _chance(setting) if setting.classes else None,
        "yardsticks": {name: figure.by_metric() for name, figure in yardsticks.items()},
        **dict.fromkeys(OF_UNSEEN),
        **(unseen or {}),
        "source_rows": source_rows(setting),
        "versions": versions(),
    }


def steps_of(setting: Setting, fitted: FittedRun) -> int | None:
    """Give how many steps were trained: of a posterior, those of its residual network; None where none was."""
    if fitted.summary is None:
        return None
    residual = fitted.facts.get("residual") or {}
    return residual.get("steps", setting.config.training.steps)


def source_rows(setting: Setting) -> dict[str, int]:
    """Give how many rows each source task has."""
    sizes = dict(zip(setting.tasks.task_names, np.diff(setting.tasks.offsets).tolist(), strict=True))
    return {name: sizes[name] for name in setting.split.train.names}


def _evaluated_on(setting: Setting, figures: Figures | None) -> str | None:
    """Say what was measured on: None for nothing."""
    if figures is None:
        return VALIDATION
    if setting.config.data.held_out:
        return TARGET
    return None if figures.relative_error is None else LEFT_OUT


def _on_validation(setting: Setting, fitted: FittedRun) -> dict[str, Any]:
    """Give the figures of the validation episodes, where no task was held out."""
    validator, summary = setting.validator(fitted.model), fitted.summary
    assert summary is not None
    msre = summary.validation_loss
    measured: dict[str, Any] = {**NO_FIGURES, "distinct": summary.validation_distinct}
    if setting.classes:
        return {**measured, "accuracy": validator.accuracy()}
    by_mean = validator.error_of(setting.source_mean)
    return {**measured, "msre": msre, "relative_error": msre / by_mean if by_mean > 0 else None}


def _chance(setting: Setting) -> float:
    split, labels = setting.split, setting.tasks.labels
    assert labels is not None
    held_out = setting.config.data.held_out is not None
    return chance(labels, split.train.rows, split.target_test if held_out else split.validation.rows)
