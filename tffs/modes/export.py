"""--mode=export: write a new version of the SavedModel of a trained run."""

from tffs.config import Command
from tffs.evaluation.stored_result import stored_result
from tffs.modes.console import Console
from tffs.running.exporting import new_version
from tffs.running.finished_run import finished_run


def export(command: Command, console: Console) -> None:
    """Export the trained run in --workdir."""
    with finished_run(command, console) as (setting, fitted, workdir):
        result = stored_result(workdir)
        path = new_version(setting, fitted, result, workdir, console, command.keep_versions)
    console.show(f"Exported: {path}")
