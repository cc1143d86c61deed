"""--mode=train: train, or resume training."""

from tffs.config import Command
from tffs.modes.console import Console
from tffs.running.training import owned, trained


def train(command: Command, console: Console) -> None:
    """Train the run that the flags describe; a finished one is left as it is."""
    with owned(command) as workdir:
        if trained(command, console, workdir) is not None:
            console.show(f"Trained: {workdir.model}")
