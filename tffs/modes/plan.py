"""What can be settled from the sizes of the tasks alone, before any row is looked at."""

import dataclasses
from collections.abc import Callable

from tffs.config import RunConfig, default_query_size, shown_name
from tffs.data.splits import Split, choose_tasks, split_tasks
from tffs.data.tasks import Tasks
from tffs.errors import UserError


def plan(config: RunConfig, tasks: Tasks, say: Callable[[str], None]) -> tuple[RunConfig, Split]:
    """Settle who trains, who validates and how many rows a query has.

    Args:
        config: the run as the flags give it, its dataset named.
        tasks: its matrix need not hold the rows.
        say: receives one-sentence notes for the person.
    """
    data, model = config.data, config.model
    assert data.dataset is not None
    if model.num_selected > tasks.num_features:
        raise UserError(
            f"--num_selected={model.num_selected} is more than the {tasks.num_features} features that "
            f"{shown_name(data.dataset)} has: choose at most {tasks.num_features}."
        )
    target, validation_task = choose_tasks(
        tasks.task_names, data.target_task, data.validation_task, data.validation, config.seed
    )
    split = split_tasks(tasks, target, validation_task, data.validation, data.support_size, config.seed)
    wanted = data.query_size or default_query_size(data.support_size)
    query_size = min(wanted, split.train.room(data.support_size))
    if query_size < wanted:
        smallest = split.train.names[int(split.train.counts.argmin())]
        say(
            f"Query sets shrink from {wanted} to {query_size} rows, which is what the smallest training task "
            f"({smallest}, {split.train.counts.min()} rows) leaves."
        )
    room = split.validation.room(data.support_size)
    if room < query_size:
        say(f"Validation query sets shrink from {query_size} to {room} rows, what the smallest task leaves.")
    left_out = len(split.train.names) - len(split.validation.names) if data.validation == "rows" else 0
    if left_out:
        say(f"{left_out} tasks have too few rows to validate on; the others validate.")
    settled = dataclasses.replace(
        data, target_task=target or "none", validation_task=validation_task, query_size=query_size
    )
    return dataclasses.replace(config, data=settled), split
