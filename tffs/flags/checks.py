"""What a flag may be, one by one and together."""

import re
from collections.abc import Callable

from absl import flags

import data_builders
from data_builders.reference import resolve
from tffs.errors import UserError
from tffs.experiments.catalogue import METHODS
from tffs.flags.definitions import OF_TABLES
from tffs.flags.modes import AFTER_TRAINING, DISTRIBUTED, MODES, OF_EXPERIMENTS
from tffs.tuning.budget import LEAST_HYPERBAND

# What an experiment decides for each of its cells, and what to do instead.
_SET_BY_GRID = {
    "support_size": "use --support_sizes",
    "num_selected": "use --numbers_selected",
    "loss": "use --methods, such as ours_supervised",
    "target_task": "each split draws its own from --seed",
    "validation_task": "each split draws its own from --seed",
    "query_size": "it follows --support_sizes",
    "workdir": "use --results_dir",
}

_LARGEST = 2**31 - 1
_MOST_UNITS = 2**20
# Where float32 has its full precision, with room for products.
_SMALLEST_NUMBER, _LARGEST_NUMBER = 1e-30, 1e30


def _one_of(*choices: str) -> Callable[[str, str], None]:
    def check(flag: str, value: str) -> None:
        if value not in choices:
            raise UserError(f"--{flag} must be one of {', '.join(choices)}, but '{value}' came.")

    return check


def _whole(lowest: int, highest: int = _LARGEST) -> Callable[[str, int], None]:
    def check(flag: str, value: int) -> None:
        if not lowest <= value <= highest:
            raise UserError(f"--{flag} must be a whole number from {lowest} to {highest}, but {value} came.")

    return check


def _positive(flag: str, value: float) -> None:
    if not _SMALLEST_NUMBER <= value <= _LARGEST_NUMBER:
        raise UserError(
            f"--{flag} must be a number from {_SMALLEST_NUMBER} to {_LARGEST_NUMBER}, but {value} came."
        )


def _whole_numbers(flag: str, value: list[str]) -> None:
    if not value or not all(text.strip().isdecimal() and 0 < int(text) <= _LARGEST for text in value):
        raise UserError(
            f"--{flag} must be whole numbers from 1, separated by commas, but '{','.join(value)}' came."
        )


def _methods(flag: str, value: list[str]) -> None:
    unknown = [name for name in value if name not in METHODS]
    if unknown or not value:
        raise UserError(f"--{flag} must be some of {', '.join(METHODS)}, but '{','.join(unknown)}' came.")


def _file_name(flag: str, value: str) -> None:
    if not re.fullmatch(r"[\w-]+", value):
        raise UserError(f"--{flag} must be a name of letters, digits, _ and -, but '{value}' came.")


def _model_name(flag: str, value: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", value):
        raise UserError(f"--{flag} must be a name of letters, digits, _, . and -, but '{value}' came.")


def _given(flag: str, value: str) -> None:
    if not value.strip():
        raise UserError(
            f"--{flag} is empty: give an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all."
        )


def _seconds(flag: str, value: float) -> None:
    if not 0.01 <= value <= 86400:
        raise UserError(f"--{flag} must be seconds from 0.01 to 86400, but {value} came.")


def _dataset(flag: str, value: str) -> None:
    try:
        resolve(value)
    except UserError as error:
        raise UserError(f"--{flag} {error}") from error


def _units(flag: str, value: list[str]) -> None:
    if not value or not all(units.strip().isdecimal() and 0 < int(units) <= _MOST_UNITS for units in value):
        raise UserError(
            f"--{flag} must be whole numbers from 1 to {_MOST_UNITS}, like 32,32, but '{','.join(value)}' came."
        )


def _options(flag: str, value: list[str]) -> None:
    wrong = [option for option in value if not re.fullmatch(r"[A-Za-z]\w*(=.+)?", option)]
    if wrong:
        raise UserError(
            f"--{flag} must be options of Beam as name=value, or name alone for one without a value, separated "
            f"by commas, like runner=DirectRunner,direct_num_workers=2, but '{wrong[0]}' came."
        )


_CHECKS: dict[str, Callable] = {
    "mode": _one_of(*MODES),
    "dataset": _dataset,
    "scaling": _one_of("minmax", "standard", "none"),
    "cache": _one_of("auto", "memory", "stream"),
    "missing": _one_of("error", "median", "drop_rows"),
    "beam_options": _options,
    "validation": _one_of("task", "rows"),
    "support_size": _whole(1),
    "num_selected": _whole(1),
    "query_size": _whole(1),
    "episodes_per_step": _whole(1),
    "loss": _one_of("reconstruction", "cross_entropy"),
    "steps": _whole(1),
    "learning_rate": _positive,
    "initial_temperature": _positive,
    "final_temperature": _positive,
    "noise": _one_of("on", "off"),
    "selection": _one_of("argmax", "unique"),
    "seed": _whole(0),
    "jit": _one_of("auto", "on", "off"),
    "threads": _whole(0, 1024),
    "distribute": _one_of("none", "multi_worker"),
    "eval_every": _whole(1),
    "embedding_units": _whole(1, _MOST_UNITS),
    "decoder_units": _units,
    "selector_dim": _whole(1, _MOST_UNITS),
    "task_code_dim": _whole(1, _MOST_UNITS),
    "pi_stddev": _positive,
    "output_activation": _one_of("auto", "sigmoid", "tanh", "linear"),
    "format": _one_of("table", "json"),
    "keep_versions": _whole(0),
    "model_name": _model_name,
    "port": _whole(0, 65535),
    "rest_api_port": _whole(0, 65535),
    "bind_address": _given,
    "file_system_poll_wait_seconds": _seconds,
    "tuner": _one_of("random", "bayesian", "hyperband"),
    "trials": _whole(1, 1000),
    "folds": _whole(1, 1000),
    "experiment": _file_name,
    "methods": _methods,
    "support_sizes": _whole_numbers,
    "numbers_selected": _whole_numbers,
    "splits": _whole(1, 1000),
    "workers": _whole(0, 1024),
}


def check_value(flag: str, value: object) -> None:
    """Check one value of a flag."""
    _CHECKS[flag](flag, value)


def check(values: flags.FlagValues) -> None:
    """Check every flag, what the mode needs, and what flags say of each other."""
    for flag, check_one in _CHECKS.items():
        if values[flag].value is not None:
            check_one(flag, values[flag].value)
    _check_together(values)


def _check_together(values: flags.FlagValues) -> None:
    """Check what a mode needs and what flags say of each other."""
    if values.dataset and values.table:
        raise UserError(
            f"--dataset={values.dataset} and --table={values.table} were both given: the rows come from one."
        )
    if not values.table:
        alone = [name for name in OF_TABLES if values[name].present]
        if alone:
            raise UserError(f"--{alone[0]} says something about a table, but --table is missing: add it.")
    if values.server and values.mode != "select":
        raise UserError(f"--server={values.server} is for --mode=select: leave it out, or select with it.")
    if values.distribute != "none" and values.mode not in DISTRIBUTED:
        raise UserError(
            f"--distribute={values.distribute} is for --mode={' and --mode='.join(DISTRIBUTED)}, but "
            f"--mode={values.mode} came: leave it out."
        )
    if values.mode in OF_EXPERIMENTS:
        if values.mode == "experiment" and not values.datasets:
            raise UserError(
                "--mode=experiment needs --datasets: names of flag files such as mnist_r,isolet; "
                "--flagfile=experiment_main.flags is the paper's comparison."
            )
        if values.mode == "experiment" and values.cache == "stream":
            raise UserError(
                "--cache=stream is not for --mode=experiment, whose workers hold the rows in memory, each once "
                "for all cells: leave it out, or train with --mode=run."
            )
        decided = [name for name in _SET_BY_GRID if values[name].present and values.mode == "experiment"]
        if decided:
            raise UserError(
                f"--{decided[0]} is decided for every cell of an experiment: {_SET_BY_GRID[decided[0]]}."
            )
    elif values.mode == "select":
        if values.model and values.server:
            raise UserError(
                f"--model={values.model} and --server={values.server} were both given: one of them answers."
            )
        if not (values.model or values.server or values.workdir or values.dataset or values.table):
            raise UserError(
                "--mode=select needs --model (a workdir, an export folder or a version folder) or --server."
            )
        if not values.support:
            raise UserError(
                "--mode=select needs --support: a CSV, Parquet, .npz or .npy file with the new task's rows."
            )
    elif values.mode == "serve":
        if not (values.model_base_path or values.workdir or values.dataset or values.table):
            raise UserError(
                "--mode=serve needs --model_base_path: the export folder of a run, like runs/digits_r/export."
            )
        if values.port and values.port == values.rest_api_port:
            raise UserError(
                f"--port={values.port} is --rest_api_port, too: gRPC and REST need a port each, or 0 for any."
            )
    elif values.mode in AFTER_TRAINING:
        if not (values.workdir or values.dataset or values.table):
            raise UserError(f"--mode={values.mode} needs --workdir: the folder of a trained run.")
    elif not (values.dataset or values.table):
        raise UserError(
            "--dataset or --table is missing: give your own table as --table=FILE, choose one of "
            f"{', '.join(data_builders.available())}, or start with --flagfile=digits_r.flags."
        )
    if values.mode == "tune" and values.tuner == "hyperband" and values.trials < LEAST_HYPERBAND:
        raise UserError(
            f"--tuner=hyperband needs --trials of at least {LEAST_HYPERBAND} to have shorter trainings, but "
            f"{values.trials} came: raise it, or use --tuner=random."
        )
    if values.final_temperature > values.initial_temperature:
        raise UserError(
            f"--final_temperature={values.final_temperature} must not be above "
            f"--initial_temperature={values.initial_temperature}: the temperature falls during training."
        )
