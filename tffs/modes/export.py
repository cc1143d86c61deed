"""--mode=export: write a new version of the SavedModel of a trained run."""

import math
from typing import Any

from tffs.config import Command
from tffs.modes.stored_result import stored_result
from tffs.modes.train import trained
from tffs.planning.setting import Setting
from tffs.provenance import versions
from tffs.serving.export import export_model
from tffs.training.trainer import TrainingSummary
from tffs.workdir import Workdir

FIGURES = ("msre", "relative_error", "accuracy", "ari", "nmi", "distinct", "yardsticks")


def export(command: Command, setting: Setting) -> str:
    """Export the trained run in --workdir; returns the new version's path."""
    workdir = Workdir(command.workdir)
    model, summary = trained(workdir)
    return export_model(
        model,
        setting.tasks.feature_names,
        setting.config.data.support_size,
        workdir.exports,
        setting.config.data.scaling or "none",
        setting.statistics,
        setting.classes,
        training_facts(setting, summary, stored_result(workdir)),
        command.keep_versions,
    )


def training_facts(setting: Setting, summary: TrainingSummary, result: dict[str, Any] | None) -> dict[str, Any]:
    """Say how the model was trained, and what was measured of it so far, as its description holds it."""
    config = setting.config
    data = config.data
    target = None if data.target_task == "none" else data.target_task
    figures = None
    if result is not None:
        where = f"the held-out task {target}" if target else "the validation episodes, as no task was held out"
        figures = {"evaluated_on": where, **{name: result.get(name) for name in FIGURES}}
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
