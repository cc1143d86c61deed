"""What can be settled from the sizes of the tasks alone, before any row is looked at."""

import dataclasses
from collections.abc import Callable

from data_builders.table.findings import Findings, findings
from data_builders.table.survey import Survey
from tffs.config import RunConfig
from tffs.config.run import default_query_size
from tffs.data.classes import no_classes
from tffs.data.splits import Split, choose_tasks, split_tasks, whole_tasks
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed


@dataclasses.dataclass(frozen=True)
class Plan:
    """Who trains, who validates, who is tested.

    Attributes:
        config: the run, with its tasks and the size of its query sets settled.
        split: which rows play which part.
    """

    config: RunConfig
    split: Split


def plan_table(config: RunConfig, survey: Survey, sizes: Tasks) -> tuple[Plan | None, Findings]:
    """Plan a run on a table, and say all that is wrong with it and what is worth knowing.

    Args:
        config: the run as the flags give it, its dataset named.
        survey: what the table holds.
        sizes: its tasks; the matrix need not hold the rows.

    Returns:
        The plan, or None where there are errors.
    """
    missing = config.data.missing
    found = findings(survey, missing, one_task=config.learns_from_all_rows)
    if config.training.predicts_labels and survey.classes < 2:
        found.errors.append(no_classes(survey.classes))
    if len(survey.task_names) < (1 if config.learns_from_all_rows else 2):  # said already
        return None, found
    try:
        planned = plan(config, sizes, found.notes.append)
    except UserError as error:
        return None, Findings([*found.errors, str(error)], found.notes)
    unseen = [name for name, task in survey.only_task.items() if task == planned.config.data.target_task]
    if missing == "median" and unseen:
        found.errors.append(no_median(unseen))
    return planned, found


def named(config: RunConfig, dataset: str) -> RunConfig:
    """Give the run on a dataset of that name."""
    return dataclasses.replace(config, data=dataclasses.replace(config.data, dataset=dataset))


def plan(config: RunConfig, sizes: Tasks, say: Callable[[str], None]) -> Plan:
    """Settle who trains, who validates and how many rows a query has.

    Args:
        config: the run as the flags give it, its dataset named.
        sizes: the tasks; their matrix need not hold the rows.
        say: receives one-sentence notes for the person.
    """
    data, model = config.data, config.model
    if model.num_selected > sizes.num_features:
        raise UserError(
            f"--num_selected={model.num_selected} is more than the {sizes.num_features} features that "
            f"{data.name.shown} has: choose at most {sizes.num_features}."
        )
    if config.learns_from_all_rows:
        return _plan_without_validation(config, sizes)
    target, validation_task = choose_tasks(
        sizes.task_names, data.target_task, data.validation_task, data.validation, config.seed
    )
    split = split_tasks(sizes, target, validation_task, data.validation, data.support_size, config.seed)
    wanted = data.query_size or default_query_size(data.support_size)
    query_size = min(wanted, split.train.room(data.support_size))
    if query_size < wanted:
        smallest = split.train.names[int(split.train.counts.argmin())]
        say(
            f"Each training step computes its error on {query_size} rows instead of {wanted}, because "
            f"the smallest training task, {smallest}, has {split.train.counts.min()} rows after the split. "
            "Leave small tasks out to use more."
        )
    room = split.validation.room(data.support_size)
    if room < query_size:
        say(
            f"Validation uses {room} rows of a task instead of {query_size}, which is what the smallest "
            "validation task has left."
        )
    left_out = len(split.train.names) - len(split.validation.names) if data.validation == "rows" else 0
    if left_out:
        say(f"{left_out} tasks have too few rows to validate on; the others validate.")
    settled = dataclasses.replace(
        data, target_task=target or data.target_task, validation_task=validation_task, query_size=query_size
    )
    return Plan(dataclasses.replace(config, data=settled), split)


def _plan_without_validation(config: RunConfig, sizes: Tasks) -> Plan:
    """Settle who is held out; all others are learned from."""
    data = config.data
    if data.validation_task is not None:
        raise UserError(
            f"--validation_task={data.validation_task} was given, but --method={config.method} learns from all "
            "rows of all source tasks and needs no task to validate on: leave it out."
        )
    target, _ = choose_tasks(sizes.task_names, data.target_task, None, "rows", config.seed)
    split = whole_tasks(sizes, target, data.support_size, config.seed)
    settled = dataclasses.replace(data, target_task=target or data.target_task)
    return Plan(dataclasses.replace(config, data=settled), split)


def no_median(names: list[str]) -> str:
    """Say which features have no value to learn a median from."""
    return (
        f"{len(names)} column(s) have no value in the source tasks, so there is no median to fill in: "
        f"{listed(names)}: leave them out with --ignore_columns."
    )
