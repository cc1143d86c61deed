"""What flags say of each other, and of the mode."""

import data_builders
from data_builders.table.options import TableOptions
from tffs.config import Command
from tffs.config.modes import AFTER_TRAINING
from tffs.errors import UserError
from tffs.flags.definitions import every_flag
from tffs.options import options
from tffs.tuning.budget import LEAST_HYPERBAND

# What an experiment decides for each of its cells, and what to do instead.
_SET_BY_GRID = {
    "support_size": "use --support_sizes",
    "num_selected": "use --numbers_selected",
    "loss": "use --methods, such as ours_supervised",
    "target_task": "each split draws its own from --seed",
    "validation_task": "each split draws its own from --seed",
    "query_size": "it follows --support_sizes",
}


# Flags of which one says which model is meant.
_ONE_OF = {
    "select": ("model", "server", "workdir"),
    "serve": ("model_base_path", "workdir"),
}


def check_used(command: Command, given: frozenset[str]) -> None:
    """Refuse flags that the mode does not use; a flag file may hold flags for other modes."""
    mode = command.mode
    named = [f"--{name}" for name in _ONE_OF.get(mode, ()) if name in given]
    if len(named) > 1:
        raise UserError(f"{' and '.join(named)} were given, and each says which model is meant: keep one.")
    if mode == "select" and "model_name" in given and not command.select.server:
        raise UserError("--model_name is what a server calls a model, but --server is missing: leave it out.")
    for name, (_, modes) in every_flag().items():
        if name in given and mode not in modes:
            raise UserError(
                f"--{name} is not used by --mode={mode}: leave it out. It is for --mode={' or '.join(modes)}."
            )


def check_agreement(command: Command) -> None:
    """Check what a mode needs and what flags say of each other."""
    _check_rows(command)
    check = _CHECKS.get(command.mode)
    if check is not None:
        check(command)
    elif not _named(command):
        raise UserError(
            "--dataset or --table is missing: give your own table as --table=FILE, choose one of "
            f"{', '.join(data_builders.available())}, or start with --flagfile=digits_r.flags."
        )


def _check_rows(command: Command) -> None:
    dataset, table = command.run.data.dataset, command.place.table
    if dataset and table:
        raise UserError(
            f"--dataset={dataset} and --table={table.path} were both given: the rows come from one."
        )
    alone = [name for name in (*options(TableOptions), "beam_options") if name in command.given]
    if alone and not table:
        raise UserError(f"--{alone[0]} says something about a table, but --table is missing: add it.")


def _named(command: Command) -> bool:
    """Tell whether a flag says which run is meant."""
    return bool(command.run.data.dataset or command.place.table)


def _check_experiment(command: Command) -> None:
    if not command.experiment.datasets and not _named(command):
        raise UserError(
            "--mode=experiment needs --datasets, names of flag files such as mnist_r,isolet, or --dataset or "
            "--table for one; --flagfile=experiment_main.flags is the paper's comparison."
        )
    if command.experiment.datasets and _named(command):
        raise UserError("--datasets and --dataset or --table were both given: use --datasets for several.")
    decided = [name for name in _SET_BY_GRID if name in command.given]
    if decided:
        raise UserError(
            f"--{decided[0]} is decided for every cell of an experiment: {_SET_BY_GRID[decided[0]]}."
        )


def _check_select(command: Command) -> None:
    asked = command.select
    if not (asked.model or asked.server):
        raise UserError(
            "--mode=select needs --model (a workdir, an export folder or a version folder) or --server."
        )
    if not asked.support:
        raise UserError(
            "--mode=select needs --support: a CSV, Parquet, .npz or .npy file with the new task's rows."
        )


def _check_serve(command: Command) -> None:
    serve = command.serve
    if not (command.workdir or "model_base_path" in command.given):
        raise UserError(
            "--mode=serve needs --model_base_path: the export folder of a run, like runs/digits_r/export."
        )
    if serve.port and serve.port == serve.rest_api_port:
        raise UserError(
            f"--port={serve.port} is --rest_api_port, too: gRPC and REST need a port each, or 0 for any."
        )


def _check_after_training(command: Command) -> None:
    if not command.workdir:
        raise UserError(f"--mode={command.mode} needs --workdir: the folder of a trained run.")


def _check_tune(command: Command) -> None:
    tune = command.tune
    if tune.tuner == "hyperband" and tune.trials < LEAST_HYPERBAND:
        raise UserError(
            f"--tuner=hyperband needs --trials of at least {LEAST_HYPERBAND} to have shorter trainings, but "
            f"received {tune.trials}: raise it, or use --tuner=random."
        )
    if not _named(command):
        raise UserError("--mode=tune needs --dataset or --table: the run whose hyperparameters are tuned.")


_CHECKS = {
    "experiment": _check_experiment,
    "select": _check_select,
    "serve": _check_serve,
    "tune": _check_tune,
    **dict.fromkeys(AFTER_TRAINING, _check_after_training),
}
