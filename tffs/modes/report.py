"""--mode=report: write the report of a trained run again."""

from tffs.config import Command
from tffs.errors import UserError
from tffs.modes.console import Console
from tffs.report.of_run import write_run_report
from tffs.serving.contract import versions_in
from tffs.serving.exported_model import ExportedModel
from tffs.workdir import Workdir


def report(command: Command, console: Console) -> None:
    """Write `<workdir>/report.html`, from the files in the folder alone."""
    workdir = Workdir(command.workdir)
    if workdir.stored_config() is None:
        raise UserError(f"--workdir={workdir.path} holds no run: give the folder of a trained run.")
    if not versions_in(workdir.exports):
        raise UserError(
            f"{workdir.path} holds no exported model, which a report asks: write one with --mode=export first."
        )
    with workdir.locked():
        model = ExportedModel(workdir.exports, lambda sentence: None)
        console.share("writing the report", 0.0)
        path = write_run_report(workdir, model, command.report_rows)
        console.share("writing the report", 1.0)
        console.show(path)
