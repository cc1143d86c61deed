"""--mode=evaluate: measure a trained run on tasks that it has not seen, beside yardsticks."""

from tffs.config import Command
from tffs.modes.console import Console
from tffs.modes.printed_result import printed_result
from tffs.running.evaluating import evaluation
from tffs.running.finished_run import finished_run
from tffs.running.reporting import reported


def evaluate(command: Command, console: Console) -> None:
    """Print the figures of the trained run in --workdir."""
    with finished_run(command, console) as (setting, fitted, workdir):
        result = evaluation(setting, fitted, workdir, console, command.compare)
        reported(setting, fitted, result, workdir, console, command.report_rows)
        console.show(printed_result(result, workdir))
