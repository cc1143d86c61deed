"""How a model was trained and what was measured of it, as its description and its card tell."""

import math
from typing import Any

from tffs.evaluation.figures import METRICS
from tffs.planning.setting import Setting
from tffs.provenance import versions
from tffs.training.trainer import TrainingSummary


def training_facts(setting: Setting, summary: TrainingSummary, result: dict[str, Any] | None) -> dict[str, Any]:
    """Say how a model was trained, and what was measured of it so far.

    Args:
        setting: the run.
        summary: of its training.
        result: what result.json holds, if the run was evaluated.
    """
    config = setting.config
    data = config.data
    target = None if data.target_task == "none" else data.target_task
    figures = None
    if result is not None:
        where = f"the held-out task {target}" if target else "the validation episodes, as no task was held out"
        figures = {"evaluated_on": where, **{name: result.get(name) for name in (*METRICS, "yardsticks")}}
    return {
        "dataset": data.name.shown,
        "source_tasks": list(setting.split.train.names),
        "validation_task": data.validation_task,
        "target_task": target,
        "num_selected": config.model.num_selected,
        "selection": config.model.selection,
        "steps": config.training.steps,
        "best_step": summary.best_step,
        "validation_loss": None if math.isnan(summary.validation_loss) else summary.validation_loss,
        "seed": config.seed,
        "software": versions(),
        "figures": figures,
    }
