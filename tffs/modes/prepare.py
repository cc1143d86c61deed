"""--mode=prepare: build the dataset and list its tasks."""

import numpy as np

from tffs.config import Command
from tffs.data.datasets import open_dataset
from tffs.modes.console import Console
from tffs.modes.task_table import task_table


def prepare(command: Command, console: Console) -> None:
    """Prepare the dataset and print a table of its tasks."""
    place, data = command.place, command.run.data
    console.say(f"Preparing {place.table.path if place.table else data.dataset} in {place.data_dir} ...")
    dataset = open_dataset(data.dataset, place, console.say, console.share)
    dataset.check(data.missing, console.say)
    tasks = dataset.sizes(data.missing)
    console.show(
        f"{dataset.name.shown}: {len(tasks.task_names)} tasks, {tasks.num_features} features, "
        f"{tasks.offsets[-1]} rows"
    )
    console.show(task_table(tasks.task_names, np.diff(tasks.offsets).tolist()))
