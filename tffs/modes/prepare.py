"""--mode=prepare: build the dataset and list its tasks."""

import numpy as np

from tffs.config import Command
from tffs.data import datasets
from tffs.modes.console import Console


def prepare(command: Command, console: Console) -> None:
    """Prepare the dataset and print a table of its tasks."""
    name = command.run.data.dataset
    console.say(f"Preparing {name} in {command.data_dir} ...")
    tasks = datasets.load(name, command.data_dir)
    counts = np.diff(tasks.offsets)
    width = max(len(task) for task in tasks.task_names)
    console.show(f"{name}: {len(counts)} tasks, {tasks.num_features} features, {len(tasks.matrix)} rows")
    for task, count in zip(tasks.task_names, counts, strict=True):
        console.show(f"  {task:<{width}}  {count} rows")
