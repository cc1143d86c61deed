"""How a model was trained and what was measured of it, as its description and its card tell."""

import math
from typing import Any

from tffs.evaluation.figures import METRICS
from tffs.evaluation.result import LEFT_OUT, steps_of
from tffs.methods.fitted import FittedRun
from tffs.planning.setting import Setting
from tffs.provenance import versions


def training_facts(setting: Setting, fitted: FittedRun, result: dict[str, Any] | None) -> dict[str, Any]:
    """Say how a model was trained, and what was measured of it so far.

    Args:
        setting: the run.
        fitted: its model.
        result: what result.json holds, if the run was evaluated.
    """
    config, summary = setting.config, fitted.summary
    data = config.data
    target = data.held_out
    loss = None if summary is None or math.isnan(summary.validation_loss) else summary.validation_loss
    figures = None
    if result is not None and result["evaluated_on"] is not None:
        figures = {
            "evaluated_on": _where(result, target),
            **{name: result.get(name) for name in (*METRICS, "yardsticks")},
        }
    return {
        "dataset": data.name.shown,
        "source_tasks": list(setting.split.train.names),
        "validation_task": data.validation_task,
        "target_task": target,
        "num_selected": config.model.num_selected,
        "selection": config.model.selection,
        "method": config.method,
        "steps": steps_of(setting, fitted),
        "best_step": fitted.best_step,
        "validation_loss": loss,
        "chosen": fitted.facts or None,
        "seed": config.seed,
        "software": versions(),
        "figures": figures,
    }


def _where(result: dict[str, Any], target: str | None) -> str:
    """Say what was measured on."""
    if target:
        return f"the held-out task {target}"
    if result["evaluated_on"] == LEFT_OUT:
        return f"{result['left_out']['tasks']} tasks, each left out once (medians)"
    return "the validation episodes, as no task was held out"
