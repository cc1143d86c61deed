"""What flags say of each other, and of the mode."""

import data_builders
from data_builders.table.options import TableOptions
from tffs.config import Command
from tffs.config.modes import AFTER_TRAINING, ASKING
from tffs.config.run import FOLDS, NO_TARGET
from tffs.errors import UserError
from tffs.flags.definitions import every_flag
from tffs.methods.catalogue import CONCRETE, POSTERIOR, compared, trains_a_network
from tffs.options import Option, options
from tffs.tuning.budget import LEAST_HYPERBAND

# What an experiment decides for each of its cells, and what to do instead.
_SET_BY_GRID = {
    "support_size": "use --support_sizes",
    "num_selected": "use --numbers_selected",
    "method": "use --methods",
    "loss": "use --methods, such as ours_supervised",
    "target_task": "each split draws its own from --seed",
    "validation_task": "each split draws its own from --seed",
    "query_size": "it follows --support_sizes",
}


# Flags of which one says which model is meant.
_ONE_OF = {
    **dict.fromkeys(ASKING, ("model", "server", "workdir")),
    "serve": ("model_base_path", "workdir"),
}


def check_used(command: Command, given: frozenset[str]) -> None:
    """Refuse flags that the mode or the method does not use; a flag file may hold flags for others."""
    mode = command.mode
    named = [f"--{name}" for name in _ONE_OF.get(mode, ()) if name in given]
    if len(named) > 1:
        raise UserError(f"{' and '.join(named)} were given, and each says which model is meant: keep one.")
    if mode in ASKING and "model_name" in given and not command.question.server:
        raise UserError("--model_name is what a server calls a model, but --server is missing: leave it out.")
    for name, (option, modes) in every_flag().items():
        if name in given and mode not in modes:
            raise UserError(
                f"--{name} is not used by --mode={mode}: leave it out. It is for --mode={' or '.join(modes)}."
            )
        if name in given and mode not in AFTER_TRAINING:  # which have the method of the trained run
            _check_used_by_method(option, command)
    if "validation" in given and command.run.method == POSTERIOR and command.place.table is not None:
        raise UserError(
            f"--validation={command.run.data.validation} was given, but --method=posterior learns from all "
            "rows of a table's source tasks, and none validates: leave it out."
        )
    if "folds" in given and mode not in AFTER_TRAINING:
        _check_folds(command.run.data.target_task)


def _check_used_by_method(option: Option, command: Command) -> None:
    method = command.run.method
    beside = compared(command.run, command.compare).values() if command.compare else ()
    used_by = {method, *(CONCRETE for one in beside if trains_a_network(one))}
    if option.methods is not None and not used_by & set(option.methods):
        raise UserError(
            f"--{option.name} is not used by --method={method}: leave it out, or give "
            f"--method={' or '.join(option.methods)}."
        )


def _check_folds(target: str | None) -> None:
    """Refuse a number of folds where there are none."""
    if target != FOLDS:
        instead = f"--target_task={target}" if target else "the target that is drawn for a dataset"
        raise UserError(
            f"--folds leaves every task out once, but {instead} decides what is left out: leave --folds out, "
            f"or give --target_task={FOLDS}."
        )


def check_agreement(command: Command) -> None:
    """Check what a mode needs and what flags say of each other."""
    _check_rows(command)
    _check_method(command)
    _check_compared(command)
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


def _check_method(command: Command) -> None:
    """Refuse what only the paper's network can do where another method is named."""
    method = command.run.method
    if command.run.data.target_task == FOLDS and method == CONCRETE and command.mode not in AFTER_TRAINING:
        raise UserError(
            f"--target_task={FOLDS} leaves every task out once, for which --method={CONCRETE} would be trained "
            "again and again: name one task, or leave it out to draw one."
        )
    if "method" not in command.given or method == CONCRETE:
        return
    needs = {
        "loss": (command.run.training.predicts_labels, "predicts labels"),
        "mode": (command.mode == "tune", "tunes the hyperparameters of a network"),
        "distribute": (command.distribute == "multi_worker", "trains a network on several workers"),
    }
    values = {"loss": command.run.training.loss, "mode": command.mode, "distribute": command.distribute}
    for name, (asked, what) in needs.items():
        if asked:
            raise UserError(
                f"--{name}={values[name]} {what}, which --method={method} does not do: leave --method out, or "
                f"give --method={CONCRETE}."
            )


def _check_compared(command: Command) -> None:
    """Refuse methods that cannot be measured beside the run's own."""
    if command.mode != "run" or not command.compare:
        return
    compared(command.run, command.compare)
    if command.run.data.target_task == NO_TARGET:
        raise UserError(
            f"--compare measures methods on tasks that they have not seen, but --target_task={NO_TARGET} "
            "leaves none out: drop one of the two."
        )


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


def _check_question(command: Command) -> None:
    if command.mode == "select" and command.report_rows and command.question.report is None:
        raise UserError("--report_rows is about what a report shows, but --report is missing: add it.")
    mode, asked = command.mode, command.question
    if not (asked.model or asked.server):
        raise UserError(
            f"--mode={mode} needs --model (a workdir, an export folder or a version folder) or --server."
        )
    if mode == "select" and asked.budget is not None and not asked.costs:
        raise UserError("--budget needs --costs: a CSV of feature and cost, which says what each one takes.")
    if mode == "reconstruct" and not asked.values:
        raise UserError(
            "--mode=reconstruct needs --values: a CSV, Parquet or .npz file with the measured features."
        )
    if mode == "assess" and not asked.features:
        raise UserError(
            "--mode=assess needs --features: the names of those that you would measure, like a,b,c."
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
    if "folds" in command.given and "tune_folds" not in command.given:
        raise UserError(
            "--folds is not used by --mode=tune: leave it out. --tune_folds says how many source tasks "
            "validate in turn."
        )
    if tune.tuner == "hyperband" and tune.trials < LEAST_HYPERBAND:
        raise UserError(
            f"--tuner=hyperband needs --trials of at least {LEAST_HYPERBAND} to have shorter trainings, but "
            f"received {tune.trials}: raise it, or use --tuner=random."
        )
    if not _named(command):
        raise UserError("--mode=tune needs --dataset or --table: the run whose hyperparameters are tuned.")


_CHECKS = {
    "experiment": _check_experiment,
    **dict.fromkeys(ASKING, _check_question),
    "serve": _check_serve,
    "tune": _check_tune,
    **dict.fromkeys((*AFTER_TRAINING, "report"), _check_after_training),
}
