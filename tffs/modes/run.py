"""--mode=run: everything from rows to a model that serves."""

from tffs.config import Command
from tffs.modes.console import Console
from tffs.modes.printed_result import printed_result
from tffs.running.whole_run import whole_run
from tffs.workdir import Workdir


def run(command: Command, console: Console) -> None:
    """Run everything, and print the figures."""
    result = whole_run(command, console)
    if result is not None:  # else another worker has it
        console.show(printed_result(result, Workdir(command.workdir)))
