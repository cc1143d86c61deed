"""Write a new version of the SavedModel of a trained run."""

from typing import Any

from tffs.methods.fitted import FittedRun
from tffs.planning.setting import Setting
from tffs.running.watcher import Watcher
from tffs.serving.export import export_model
from tffs.serving.training_facts import training_facts
from tffs.workdir import Workdir


def new_version(
    setting: Setting,
    fitted: FittedRun,
    result: dict[str, Any] | None,
    workdir: Workdir,
    watcher: Watcher,
    keep: int,
) -> str:
    """Write a new version of a trained run; returns its path.

    Args:
        setting: the run.
        fitted: its model.
        result: what result.json holds, if the run was evaluated.
        workdir: its folder.
        watcher: is told what is being done.
        keep: how many versions stay; 0 for all.
    """
    watcher.share("exporting", 0.0)
    version = export_model(
        setting.in_raw_units(fitted.model),
        setting.tasks.feature_names,
        setting.config.data.support_size,
        workdir.exports,
        setting.config.data.scaling or "none",
        setting.statistics,
        setting.classes,
        training_facts(setting, fitted, result),
        keep,
    )
    watcher.share("exporting", 1.0)
    return version
