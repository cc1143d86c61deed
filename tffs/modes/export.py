"""--mode=export: write a new version of the SavedModel of a trained run."""

from tffs.config import Command
from tffs.modes.train import trained
from tffs.planning.setting import Setting
from tffs.serving.export import export_model
from tffs.workdir import Workdir


def export(command: Command, setting: Setting) -> str:
    """Export the trained run in --workdir; returns the new version's path."""
    workdir = Workdir(command.workdir)
    model, _ = trained(workdir)
    return export_model(
        model,
        setting.tasks.feature_names,
        setting.config.data.support_size,
        workdir.exports,
        setting.config.data.scaling or "none",
        setting.statistics,
    )
