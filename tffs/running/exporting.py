"""Write a new version of the SavedModel of a trained run."""

from typing import Any

from tffs.methods.fitted import FittedRun
from tffs.planning.setting import Setting
from tffs.serving.described_run import described_run
from tffs.serving.export import export_described
from tffs.workdir import Workdir


def new_version(
    setting: Setting, fitted: FittedRun, result: dict[str, Any] | None, workdir: Workdir, keep: int
) -> str:
    """Write a new version of a trained run; returns its path.

    Args:
        setting: the run.
        fitted: its model.
        result: what result.json holds, if the run was evaluated.
        workdir: its folder.
        keep: how many versions stay; 0 for all.
    """
    return export_described(*described_run(setting, fitted, result), workdir.exports, keep)
