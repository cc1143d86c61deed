"""What can be settled from the sizes of the tasks alone, before any row is looked at."""

import dataclasses
from collections.abc import Callable

import numpy as np

from data_builders.table.findings import Findings, findings
from data_builders.table.survey import Survey
from tffs.config import RunConfig
from tffs.config.run import default_query_size
from tffs.data.classes import no_classes
from tffs.data.splits import Split, choose_tasks, split_tasks
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed


def plan(config: RunConfig, tasks: Tasks, say: Callable[[str], None]) -> tuple[RunConfig, Split]:
    """Settle who trains, who validates and how many rows a query has.

    Args:
        config: the run as the flags give it, its dataset named.
        tasks: its matrix need not hold the rows.
        say: receives one-sentence notes for the person.
    """
    data, model = config.data, config.model
    if model.num_selected > tasks.num_features:
        raise UserError(
            f"--num_selected={model.num_selected} is more than the {tasks.num_features} features that "
            f"{data.name.shown} has: choose at most {tasks.num_features}."
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
            f"({smallest}, {split.train.counts.min()} rows after the split) leaves; leave small tasks out "
            "for larger ones."
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


def check_table(config: RunConfig, dataset: str, survey: Survey) -> Findings:
    """Say all that keeps a table from being trained on with `config`, and what is worth knowing.

    Args:
        config: the run as the flags give it.
        dataset: the name of the table's dataset.
        survey: what the table holds.
    """
    missing = config.data.missing
    found = findings(survey, missing)
    if config.training.loss == "cross_entropy" and survey.classes < 2:
        found.errors.append(no_classes(survey.classes))
    if len(survey.task_names) < 2:  # said already
        return found
    counts = survey.complete_rows if missing == "drop_rows" else survey.task_rows
    sizes = Tasks(
        np.empty((0, len(survey.feature_names)), np.float32),
        survey.feature_names,
        survey.task_names,
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )
    config = dataclasses.replace(config, data=dataclasses.replace(config.data, dataset=dataset))
    try:
        planned, _ = plan(config, sizes, found.notes.append)
    except UserError as error:
        return Findings([*found.errors, str(error)], found.notes)
    unseen = [name for name, task in survey.only_task.items() if task == planned.data.target_task]
    if missing == "median" and unseen:
        found.errors.append(no_median(unseen))
    return found


def no_median(names: list[str]) -> str:
    """Say which features have no value to learn a median from."""
    return (
        f"{len(names)} column(s) have no value in the source tasks, so there is no median to fill in: "
        f"{listed(names)}: leave them out with --ignore_columns."
    )
