"""From arguments to a checked `Command`, without importing TensorFlow."""

import os
from collections.abc import Sequence

from absl import flags

import data_builders
from data_builders.reference import resolve, short_name
from data_builders.table.options import TableOptions, stem_of
from tffs.config import Command, DataPlace, ExperimentConfig, RunConfig, ServeConfig, TuneConfig
from tffs.distribute.cluster import Cluster, check_shares, read_cluster
from tffs.errors import UserError
from tffs.flags.checks import check
from tffs.flags.definitions import GROUPS, define
from tffs.flags.flagfiles import with_flagfiles
from tffs.flags.search_space import read_space


def parse(argv: Sequence[str]) -> Command:
    """Parse and check the arguments.

    Args:
        argv: the program's name and its arguments.

    Returns:
        The command; anything a person can get wrong raises `UserError`.
    """
    values = define()
    try:
        rest = values(with_flagfiles(argv))
    except flags.Error as error:
        raise UserError(_one_sentence(str(error))) from error
    if len(rest) > 1:
        raise UserError(f"Expected flags only, but '{rest[1]}' came: write --name=value; see --help.")
    given = frozenset(name for name in values if values[name].present)
    check(values)
    named = {name: values[name].value for name in values}
    if values.target_task == "none" and not given & {"validation", "validation_task"}:
        named["validation"] = "rows"  # so that every task trains
    named["decoder_units"] = tuple(int(units) for units in values.decoder_units)
    table = _table(values)
    if values.dataset:
        named["dataset"] = resolve(values.dataset)
    name = short_name(named["dataset"]) if values.dataset else table and stem_of(table.path)
    ending = "_tuning" if values.mode == "tune" else ""
    workdir = values.workdir or (f"runs/{name}{ending}" if name else "")
    return Command(
        mode=values.mode,
        run=RunConfig.from_flags(named),
        given=given,
        place=DataPlace(
            os.path.expanduser(values.data_dir),
            data_builders.mirror(values.data_mirror),
            table,
            values.cache,
            tuple(values.beam_options),
        ),
        workdir=os.path.expanduser(workdir),
        threads=values.threads,
        cluster=_cluster(values),
        model=os.path.expanduser(values.model or workdir),
        support=values.support and os.path.expanduser(values.support),
        format=values.format,
        experiment=_experiment(values, given),
        server=values.server,
        keep_versions=values.keep_versions,
        serve=ServeConfig(
            model_name=values.model_name,
            base_path=os.path.expanduser(values.model_base_path or os.path.join(workdir, "export")),
            port=values.port,
            rest_api_port=values.rest_api_port,
            bind_address=values.bind_address,
            batching=values.enable_batching,
            poll_seconds=values.file_system_poll_wait_seconds,
        ),
        tune=TuneConfig(
            tuner=values.tuner,
            trials=values.trials,
            folds=values.folds,
            space=read_space(values) if values.mode == "tune" else (),
            workers=values.workers,
        ),
    )


def _experiment(values: flags.FlagValues, given: frozenset[str]) -> ExperimentConfig:
    """Put the flags about a grid together; each dataset's run comes from its own flag file."""
    runs = {}
    if values.mode == "experiment":
        # What is given beside the grid holds for every dataset.
        own = {*GROUPS["Comparing methods"], "mode", "flagfile"}
        others = [values[name].serialize() for name in values if name in given - own]
        for name in values.datasets:
            command = parse(["tffs", f"--flagfile={name}", *others])
            short = os.path.basename(name).removesuffix(".flags")
            if short in runs:
                raise UserError(f"--datasets names '{short}' twice: give one of the flag files another name.")
            runs[short] = (command.run, command.place)
    return ExperimentConfig(
        name=values.experiment,
        axes={
            "dataset": tuple(runs),
            "method": tuple(dict.fromkeys(values.methods)),
            "support_size": _numbers(values.support_sizes),
            "num_selected": _numbers(values.numbers_selected),
            "split": tuple(range(values.splits)),
        },
        cells=values.cells,
        workers=values.workers,
        results_dir=os.path.expanduser(values.results_dir),
        results_page=os.path.expanduser(values.results_page),
        runs=runs,
    )


def _cluster(values: flags.FlagValues) -> Cluster | None:
    """Read who trains together, and check that a step's episodes can be shared out."""
    if values.distribute == "none":
        return None
    cluster = read_cluster(os.environ)
    check_shares(cluster, values.episodes_per_step)
    return cluster


def _numbers(texts: list[str]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(text) for text in texts))


def _table(values: flags.FlagValues) -> TableOptions | None:
    """Put the flags about a table together; its path may be relative to the mirror."""
    if values.table is None:
        return None
    path, mirror = os.path.expanduser(values.table), data_builders.mirror(values.data_mirror)
    if not os.path.exists(path) and mirror and os.path.exists(os.path.join(mirror, path)):
        path = os.path.join(mirror, path)
    return TableOptions(
        path,
        values.task_column,
        tuple(values.feature_columns),
        values.label_column,
        tuple(values.ignore_columns),
    )


def _one_sentence(message: str) -> str:
    message = " ".join(message.split())
    return message if message.endswith((".", "?")) else f"{message}; see --help."
