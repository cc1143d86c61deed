"""From arguments to a checked `Command`, without importing TensorFlow."""

import dataclasses
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from absl import flags

import data_builders
from data_builders.reference import resolve, short_name
from data_builders.table.options import TableOptions, stem_of
from tffs.config import Command, DataPlace, ExperimentConfig, QuestionConfig
from tffs.config.run import FOLDS, NO_TARGET
from tffs.errors import UserError
from tffs.flags.agreement import check_agreement, check_used
from tffs.flags.definitions import define, every_flag, value_of
from tffs.flags.flagfiles import with_flagfiles, without_flagfiles
from tffs.methods.catalogue import CONCRETE, POSTERIOR
from tffs.options import InvalidOption, built


def parse(argv: Sequence[str], typed: Sequence[str] | None = None) -> Command:
    """Parse and check the arguments.

    Args:
        argv: the program's name and its arguments.
        typed: those that the person typed, if not all: each of them must be of use.

    Returns:
        The command; anything a person can get wrong raises `UserError`.
    """
    values = parsed(with_flagfiles(argv))
    given = {name: value_of(every_flag()[name].option, values) for name in names_given(values)}
    useful = names_given(parsed(without_flagfiles(argv if typed is None else typed)))
    command = command_of(given, useful)
    return dataclasses.replace(command, experiment=_with_runs(command, argv))


def command_of(given: Mapping[str, Any], useful: Collection[str] | None = None) -> Command:
    """Put a command together and check it.

    Args:
        given: the values of the flags that were given, by their names; all others have their defaults.
        useful: those that must be of use to the mode and the method; all of `given` if not said.

    Returns:
        The command; anything a person can get wrong raises `UserError`.
    """
    values = {name: option.default for name, (option, _) in every_flag().items()}
    try:
        command = _command({**values, **given}, frozenset(given))
    except InvalidOption as error:
        raise UserError(f"--{error}") from error
    check_agreement(command)
    check_used(command, frozenset(given if useful is None else useful))
    return command


def parsed(arguments: Sequence[str]) -> flags.FlagValues:
    """Parse arguments without flag files, but check no value yet."""
    values = define()
    try:
        rest = values(list(arguments))
    except flags.Error as error:
        raise UserError(_one_sentence(str(error))) from error
    if len(rest) > 1:
        raise UserError(f"Expected flags only, but received '{rest[1]}': write --name=value; see --help.")
    return values


def names_given(values: flags.FlagValues) -> frozenset[str]:
    """Name the flags that were given."""
    return frozenset(name for name in values if values[name].present)


def _command(values: dict[str, Any], given: frozenset[str]) -> Command:
    """Put the configuration together; what one flag leaves open may follow from another."""
    values["method"] = values["method"] or _default_method(values)
    if values["target_task"] is None and values["method"] == POSTERIOR and values["table"]:
        values["target_task"] = FOLDS
    if values["target_task"] in (NO_TARGET, FOLDS) and not given & {"validation", "validation_task"}:
        values["validation"] = "rows"  # so that every task trains
    if values["dataset"]:
        try:
            values["dataset"] = resolve(values["dataset"])
        except UserError as error:
            raise UserError(f"--dataset {error}") from error
    mirror = data_builders.mirror(values["data_mirror"])
    table = _table(values, mirror)
    name = short_name(values["dataset"]) if values["dataset"] else table and stem_of(table.path)
    if not values["workdir"] and name:
        values["workdir"] = f"runs/{name}{'_tuning' if values['mode'] == 'tune' else ''}"
    values["model_base_path"] = values["model_base_path"] or os.path.join(values["workdir"], "export")
    values["model"] = values["model"] or values["workdir"] or None
    question = _question(values, given)
    return built(
        Command,
        values,
        place=built(DataPlace, {**values, "data_mirror": mirror}, table=table),
        question=question,
        given=given,
    )


def _question(values: dict[str, Any], given: frozenset[str]) -> QuestionConfig:
    """Put the question to a model together; its --num_selected is not that of the run that made the model."""
    num_selected = None
    if values["mode"] == "select" and "num_selected" in given:
        num_selected = values["num_selected"]
        values["num_selected"] = every_flag()["num_selected"].option.default
    question: QuestionConfig = built(QuestionConfig, values, num_selected=num_selected)
    return question


def _default_method(values: Mapping[str, Any]) -> str:
    """Choose the method of a run that names none: the paper's network where only that can do it."""
    only_concrete = (
        values["loss"] == "cross_entropy"
        or values["mode"] in ("tune", "experiment")  # an experiment's methods are its own
        or values["distribute"] == "multi_worker"
    )
    return CONCRETE if only_concrete else POSTERIOR


def _table(values: Mapping[str, Any], mirror: str | None) -> TableOptions | None:
    """Put the flags about a table together; its path may be relative to the mirror."""
    if values["table"] is None:
        return None
    table: TableOptions = built(TableOptions, values)
    if mirror and not os.path.exists(table.path) and os.path.exists(os.path.join(mirror, table.path)):
        return dataclasses.replace(table, path=os.path.join(mirror, table.path))
    return table


def _with_runs(command: Command, argv: Sequence[str]) -> ExperimentConfig:
    """Give the grid with the run of each dataset: from its own flag file, or from the flags themselves."""
    experiment = command.experiment
    if command.mode != "experiment":
        return experiment
    runs = {}
    if not experiment.datasets:
        runs[os.path.basename(command.workdir)] = (command.run, command.place)
    # What is given beside the grid holds for every dataset.
    for name in experiment.datasets:
        short = os.path.basename(name).removesuffix(".flags")
        if short in runs:
            raise UserError(f"--datasets names '{short}' twice: give one of the flag files another name.")
        # --methods decides which method; the paper's has the most options, and its runs draw a target.
        own = parse(["tffs", f"--flagfile={name}", f"--method={CONCRETE}", *_beside_the_grid(argv)])
        runs[short] = (own.run, own.place)
    return dataclasses.replace(experiment, runs=runs)


def _beside_the_grid(argv: Sequence[str]) -> list[str]:
    """Give the flags of an experiment's command that are about its runs, for use beside a dataset's own."""
    values = parsed(with_flagfiles(argv))
    return [
        values[name].serialize()
        for name, (_, modes) in every_flag().items()
        if values[name].present and "run" in modes and "experiment" in modes and name != "mode"
    ]


def _one_sentence(message: str) -> str:
    message = " ".join(message.split())
    return message if message.endswith((".", "?")) else f"{message}; see --help."
