"""Write a new version of the SavedModel of a trained run."""

from typing import Any

from tffs.methods.fitted import FittedRun
from tffs.planning.setting import Setting
from tffs.running.watcher import Watcher
from tffs.serving.described_run import described_run
from tffs.serving.export import export_described
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
    version = export_described(*described_run(setting, fitted, result), workdir.exports, keep)
    watcher.share("exporting", 1.0)
    return version
