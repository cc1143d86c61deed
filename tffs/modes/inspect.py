"""--mode=inspect: say what is in a table and what is wrong with it, without changing anything."""

import numpy as np

from data_builders.table.findings import Findings
from data_builders.table.local_surveyor import LocalSurveyor
from data_builders.table.survey import Survey
from data_builders.table.table import Table
from tffs.config import Command
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed
from tffs.modes.console import Console
from tffs.modes.task_table import task_table
from tffs.planning.plan import named, plan_table

LISTED_FEATURES = 50


def inspect(command: Command, console: Console) -> None:
    """Print a table's tasks, features and problems; one that training would refuse raises `UserError`."""
    options = command.place.table
    if options is None:
        raise UserError(
            "--mode=inspect looks at a table: give it as --table; --mode=prepare lists a dataset's tasks."
        )
    console.say(f"Reading {options.path} ...")
    table = Table(options)
    if table.ignored:
        console.say(f"Ignoring {len(table.ignored)} file(s) that are no tables: {listed(table.ignored)}.")
    if not table.readable:
        console.show(_problems(Findings(table.problems, [])))
        raise _refused(options.path, len(table.problems))
    surveyor = LocalSurveyor(table.feature_names)
    for piece in table.pieces(lambda share: console.share("reading", share)):
        surveyor.add(piece)
    survey = surveyor.whole_survey()
    left = survey.rows_left(command.run.data.missing)
    sizes = Tasks.of_sizes(survey.feature_names, survey.task_names, left)
    _, found = plan_table(named(command.run, table.dataset()), survey, sizes)
    table.check_unchanged()
    found = Findings(table.problems + found.errors, found.notes)
    console.show(
        f"{options.path}: {survey.rows} rows, {len(survey.task_names)} tasks, "
        f"{len(survey.feature_names)} features" + (f", {survey.classes} classes" if table.labelled else "")
    )
    dropping = command.run.data.missing == "drop_rows"
    console.show("\nTasks, rows without a missing value:" if dropping else "\nTasks:")
    console.show(task_table(survey.task_names, left.tolist()))
    console.show("\nFeatures:")
    console.show(feature_table(survey))
    console.show(_problems(found))
    if found.errors:
        raise _refused(options.path, len(found.errors))
    console.show("Training would start.")


def feature_table(survey: Survey) -> str:
    """Write the features with their ranges and missing values, the first of many."""
    count = min(len(survey.feature_names), LISTED_FEATURES)
    names = survey.feature_names[:count]
    width = max(map(len, ("feature", *names)))
    lines = [f"  {'feature':<{width}}  {'least':>10}  {'greatest':>10}  {'missing':>8}"]
    lines += [
        f"  {name:<{width}}  {_figure(low)}  {_figure(high)}  {missing:>8}"
        for name, low, high, missing in zip(names, survey.low, survey.high, survey.missing, strict=False)
    ]
    if len(survey.feature_names) > count:
        lines.append(f"  and {len(survey.feature_names) - count} more")
    return "\n".join(lines)


def _figure(value: float) -> str:
    return f"{'-' if np.isnan(value) else format(value, '.4g'):>10}"


def _problems(found: Findings) -> str:
    lines: list[str] = []
    for title, sentences in (("What must be fixed:", found.errors), ("Worth knowing:", found.notes)):
        if sentences:
            lines += ["", title, *(f"  - {sentence}" for sentence in sentences), ""]
    return "\n".join(lines)


def _refused(path: str, errors: int) -> UserError:
    return UserError(f"{path} cannot be trained on as it is: {errors} problem(s), listed above.")
