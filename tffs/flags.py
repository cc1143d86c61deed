"""The command line: every flag defined, parsed and checked in one place, without importing TensorFlow."""

import os
import pathlib
import re
import textwrap
from collections.abc import Callable, Sequence

from absl import flags

import data_builders
from data_builders.table.options import TableOptions, stem_of
from tffs.config import Command, DataPlace, ExperimentConfig, RunConfig
from tffs.errors import UserError
from tffs.experiments.catalogue import METHODS

MODES = {
    "run": "prepare, train, evaluate, export, and select on the held-out target (the default)",
    "inspect": "say what is in a table and what is wrong with it; changes nothing",
    "prepare": "build the dataset with TFDS and list its tasks",
    "train": "train, or resume training",
    "evaluate": "measure a trained run on its held-out target, beside two yardsticks",
    "export": "write a new version of the SavedModel of a trained run",
    "select": "choose features for new rows with an exported model",
    "experiment": "run a grid that compares methods, or what is left of it",
    "tables": "turn the results of experiments into a page of tables and figures",
}
FLAGFILES = pathlib.Path(__file__).parent / "flagfiles"
HELP = ("--help", "-help", "-h", "--helpshort", "--helpfull")
# Modes that read what they need from <workdir>/config.json.
AFTER_TRAINING = ("evaluate", "export")
# Modes about many runs.
OF_EXPERIMENTS = ("experiment", "tables")
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


def parse(argv: Sequence[str]) -> Command:
    """Parse and check the arguments.

    Args:
        argv: the program's name and its arguments.

    Returns:
        The command; anything a person can get wrong raises `UserError`.
    """
    values = _define()
    try:
        rest = values(_with_flagfiles(argv))
    except flags.Error as error:
        raise UserError(_one_sentence(str(error))) from error
    if len(rest) > 1:
        raise UserError(f"Expected flags only, but '{rest[1]}' came: write --name=value; see --help.")
    given = frozenset(name for name in values if values[name].present)
    for flag, check in _CHECKS.items():
        if values[flag].value is not None:
            check(flag, values[flag].value)
    _check_together(values)
    named = {name: values[name].value for name in values}
    if values.target_task == "none" and not given & {"validation", "validation_task"}:
        named["validation"] = "rows"  # so that every task trains
    named["decoder_units"] = tuple(int(units) for units in values.decoder_units)
    table = _table(values)
    name = values.dataset or (table and stem_of(table.path))
    workdir = values.workdir or (f"runs/{name}" if name else "")
    return Command(
        mode=values.mode,
        run=RunConfig.from_flags(named),
        given=given,
        place=DataPlace(os.path.expanduser(values.data_dir), data_builders.mirror(values.data_mirror), table),
        workdir=os.path.expanduser(workdir),
        threads=values.threads,
        model=os.path.expanduser(values.model or workdir),
        support=values.support and os.path.expanduser(values.support),
        format=values.format,
        experiment=_experiment(values, given),
    )


def _experiment(values: flags.FlagValues, given: frozenset[str]) -> ExperimentConfig:
    """Put the flags about a grid together; each dataset's run comes from its own flag file."""
    runs = {}
    if values.mode == "experiment":
        # What is given beside the grid holds for every dataset.
        own = {*_GROUPS["Comparing methods"], "mode", "flagfile"}
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


def help_text() -> str:
    """Write the page that `--help` shows."""
    values = _define()
    lines = [
        "Few-shot unsupervised feature selection: learn from source tasks which features to measure, choose",
        "them for a new task from a few rows, reconstruct the rest.",
        "",
        "Try it:  python -m tffs.main --flagfile=digits_r.flags",
        "Then:    python -m tffs.main --mode=select --model=runs/digits_r --support=runs/digits_r/support.csv",
        "Yours:   python -m tffs.main --mode=inspect --table=FILE.csv --task_column=NAME",
        "",
        "Modes (--mode=...):",
        *(f"  {mode:<12}{what}" for mode, what in MODES.items()),
        "",
        f"Datasets (--dataset=...): {', '.join(data_builders.available())}",
        *textwrap.wrap(
            f"Published flag files (--flagfile=...): {', '.join(sorted(_published()))}",
            108,
            subsequent_indent="  ",
        ),
    ]
    for group, names in _GROUPS.items():
        lines += ["", f"{group}:"]
        for name in names:
            default = values[name].value
            default = ",".join(default) if isinstance(default, list) else default
            shown = f" (default {default})" if default not in (None, "") else ""
            lines += textwrap.wrap(
                f"--{name}: {values[name].help}{shown}", 108, initial_indent="  ", subsequent_indent="      "
            )
    return "\n".join(lines)


def _define() -> flags.FlagValues:
    """Define every flag, with the paper's values as defaults."""
    v = flags.FlagValues()
    flags.DEFINE_string("mode", "run", f"what to do: {', '.join(MODES)}", flag_values=v)
    flags.DEFINE_string("dataset", None, "which of the datasets with a builder", flag_values=v)
    flags.DEFINE_string(
        "table",
        None,
        "your own table instead: a CSV (also .gz), Parquet or .npz file, or a folder with one such file a task",
        flag_values=v,
    )
    flags.DEFINE_string(
        "task_column", None, "the table's column that says which task a row is of", flag_values=v
    )
    flags.DEFINE_list(
        "feature_columns",
        [],
        "the table's features, separated by commas (a name with a comma in double quotes); "
        "all other columns if not given",
        flag_values=v,
    )
    flags.DEFINE_string(
        "label_column",
        None,
        "the table's column of classes, compared with clusters in the end, and predicted with "
        "--loss=cross_entropy",
        flag_values=v,
    )
    flags.DEFINE_list("ignore_columns", [], "columns of the table to leave out", flag_values=v)
    flags.DEFINE_string(
        "scaling",
        None,
        "'minmax', 'standard' or 'none': learned from the source tasks, kept in the model, so that values go "
        "in and come out in raw units (default minmax for a table, none for a dataset)",
        flag_values=v,
    )
    flags.DEFINE_string(
        "missing",
        "error",
        "what to do about missing values: 'error', 'median' (fill in the source tasks' medians, also when the "
        "model is used) or 'drop_rows'",
        flag_values=v,
    )
    flags.DEFINE_string(
        "data_mirror",
        None,
        "a folder with <dataset>/<file name> to read instead of downloading; "
        f"the environment variable {data_builders.MIRROR_VARIABLE} says the same",
        flag_values=v,
    )
    flags.DEFINE_string("data_dir", data_builders.DATA_DIR, "where prepared datasets are kept", flag_values=v)
    flags.DEFINE_string(
        "workdir", None, "where the run writes; runs/<name of the data> if not given", flag_values=v
    )
    flags.DEFINE_string(
        "target_task",
        None,
        "the task to hold out and select for; drawn from the seed if not given; 'none' trains on every task",
        flag_values=v,
    )
    flags.DEFINE_string(
        "validation_task", None, "the task to validate on; drawn from the seed if not given", flag_values=v
    )
    flags.DEFINE_string(
        "validation",
        "task",
        "'task': one source task validates and 80 % of the rows of each source task are used; "
        "'rows': 80 % of each source task train, 20 % validate (the default with --target_task=none)",
        flag_values=v,
    )
    flags.DEFINE_integer("support_size", 4, "N_S, rows in a support set", flag_values=v)
    flags.DEFINE_integer("num_selected", 10, "K, features to select", flag_values=v)
    flags.DEFINE_integer("query_size", None, "N_Q, query rows an episode; 64 - N_S if not given", flag_values=v)
    flags.DEFINE_integer("episodes_per_step", 1, "episodes averaged in one step", flag_values=v)
    flags.DEFINE_string(
        "loss",
        "reconstruction",
        "'reconstruction': select features that all others follow from; 'cross_entropy': select features that "
        "predict the rows' labels (the support rows need none)",
        flag_values=v,
    )
    flags.DEFINE_integer("steps", 50000, "training steps", flag_values=v)
    flags.DEFINE_float("learning_rate", 0.001, "Adam's learning rate", flag_values=v)
    flags.DEFINE_float("initial_temperature", 10.0, "T_0, tau at the first step", flag_values=v)
    flags.DEFINE_float("final_temperature", 0.01, "T_1, tau at the last step", flag_values=v)
    flags.DEFINE_string("noise", "on", "'on' or 'off': Gumbel noise in training", flag_values=v)
    flags.DEFINE_string(
        "selection", "argmax", "'argmax' (the paper) or 'unique' (K distinct features)", flag_values=v
    )
    flags.DEFINE_integer("seed", 0, "what every draw of the run depends on", flag_values=v)
    flags.DEFINE_string(
        "jit", "auto", "'on', 'off' or 'auto': compile the training loop with XLA", flag_values=v
    )
    flags.DEFINE_integer("threads", 0, "TensorFlow's threads; 0 chooses by problem size", flag_values=v)
    flags.DEFINE_integer("eval_every", 500, "steps between validations", flag_values=v)
    flags.DEFINE_integer("embedding_units", 64, "units of the support set's embedding", flag_values=v)
    flags.DEFINE_list("decoder_units", ["32", "32"], "units of the decoder's hidden layers", flag_values=v)
    flags.DEFINE_integer("selector_dim", 300, "T, the size of each selector's parameter pi", flag_values=v)
    flags.DEFINE_integer("task_code_dim", 1, "the size of the decoder's task code r(S)", flag_values=v)
    flags.DEFINE_float("pi_stddev", 0.05, "standard deviation of the initial pi", flag_values=v)
    flags.DEFINE_string(
        "output_activation",
        "auto",
        "what reconstructions end with: 'sigmoid', 'tanh', 'linear', or 'auto' to follow the range of the data",
        flag_values=v,
    )
    flags.DEFINE_string(
        "model", None, "for select: a workdir, an export folder or a version folder", flag_values=v
    )
    flags.DEFINE_string(
        "support",
        None,
        "for select: a CSV (also .gz), Parquet, .npz or .npy file with the new rows",
        flag_values=v,
    )
    flags.DEFINE_string("format", "table", "for select: 'table' or 'json'", flag_values=v)
    flags.DEFINE_string("experiment", "main", "the grid's name: results go to <name>.jsonl", flag_values=v)
    flags.DEFINE_list(
        "datasets", [], "the datasets to compare on, each by its flag file: mnist_r, mine.flags", flag_values=v
    )
    flags.DEFINE_list("methods", ["ours"], f"the methods to compare: {', '.join(METHODS)}", flag_values=v)
    flags.DEFINE_list("support_sizes", ["2", "4", "6"], "values of N_S", flag_values=v)
    flags.DEFINE_list("numbers_selected", ["10", "20", "30", "40", "50"], "values of K", flag_values=v)
    flags.DEFINE_integer("splits", 20, "how many random splits", flag_values=v)
    flags.DEFINE_string(
        "cells", "", "run only a part of the grid, like dataset=mnist_r,method=ours|cae_s", flag_values=v
    )
    flags.DEFINE_integer("workers", 0, "processes with one thread each; 0 for one a core", flag_values=v)
    flags.DEFINE_string("results_dir", "results", "the folder of the grids' results", flag_values=v)
    flags.DEFINE_string("results_page", "RESULTS.md", "the page that --mode=tables writes", flag_values=v)
    return v


_OF_TABLES = ("task_column", "feature_columns", "label_column", "ignore_columns")
_GROUPS = {
    "Data": ("dataset", "data_mirror", "data_dir", "target_task", "validation", "validation_task"),
    "Your own table": (
        *("table", "task_column", "feature_columns", "label_column", "ignore_columns", "scaling", "missing"),
    ),
    "Episodes": ("support_size", "query_size", "episodes_per_step"),
    "Model": (
        *("num_selected", "selection", "embedding_units", "selector_dim", "pi_stddev"),
        *("decoder_units", "task_code_dim", "output_activation"),
    ),
    "Training": (
        *("loss", "steps", "learning_rate", "initial_temperature", "final_temperature", "noise", "eval_every"),
        *("seed", "jit", "threads", "workdir"),
    ),
    "Selecting with a trained model": ("model", "support", "format"),
    "Comparing methods": (
        *("experiment", "datasets", "methods", "support_sizes", "numbers_selected", "splits", "cells"),
        *("workers", "results_dir", "results_page"),
    ),
}


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


def _units(flag: str, value: list[str]) -> None:
    if not value or not all(units.strip().isdecimal() and 0 < int(units) <= _MOST_UNITS for units in value):
        raise UserError(
            f"--{flag} must be whole numbers from 1 to {_MOST_UNITS}, like 32,32, but '{','.join(value)}' came."
        )


_CHECKS: dict[str, Callable] = {
    "mode": _one_of(*MODES),
    "dataset": _one_of(*data_builders.available()),
    "scaling": _one_of("minmax", "standard", "none"),
    "missing": _one_of("error", "median", "drop_rows"),
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
    "eval_every": _whole(1),
    "embedding_units": _whole(1, _MOST_UNITS),
    "decoder_units": _units,
    "selector_dim": _whole(1, _MOST_UNITS),
    "task_code_dim": _whole(1, _MOST_UNITS),
    "pi_stddev": _positive,
    "output_activation": _one_of("auto", "sigmoid", "tanh", "linear"),
    "format": _one_of("table", "json"),
    "experiment": _file_name,
    "methods": _methods,
    "support_sizes": _whole_numbers,
    "numbers_selected": _whole_numbers,
    "splits": _whole(1, 1000),
    "workers": _whole(0, 1024),
}


def _check_together(values: flags.FlagValues) -> None:
    """Check what a mode needs and what flags say of each other."""
    if values.dataset and values.table:
        raise UserError(
            f"--dataset={values.dataset} and --table={values.table} were both given: the rows come from one."
        )
    if not values.table:
        alone = [name for name in _OF_TABLES if values[name].present]
        if alone:
            raise UserError(f"--{alone[0]} says something about a table, but --table is missing: add it.")
    if values.mode in OF_EXPERIMENTS:
        if values.mode == "experiment" and not values.datasets:
            raise UserError(
                "--mode=experiment needs --datasets: names of flag files such as mnist_r,isolet; "
                "--flagfile=experiment_main.flags is the paper's comparison."
            )
        decided = [name for name in _SET_BY_GRID if values[name].present and values.mode == "experiment"]
        if decided:
            raise UserError(
                f"--{decided[0]} is decided for every cell of an experiment: {_SET_BY_GRID[decided[0]]}."
            )
    elif values.mode == "select":
        if not (values.model or values.workdir or values.dataset or values.table):
            raise UserError("--mode=select needs --model: a workdir, an export folder or a version folder.")
        if not values.support:
            raise UserError(
                "--mode=select needs --support: a CSV, Parquet, .npz or .npy file with the new task's rows."
            )
    elif values.mode in AFTER_TRAINING:
        if not (values.workdir or values.dataset or values.table):
            raise UserError(f"--mode={values.mode} needs --workdir: the folder of a trained run.")
    elif not (values.dataset or values.table):
        raise UserError(
            "--dataset or --table is missing: give your own table as --table=FILE, choose one of "
            f"{', '.join(data_builders.available())}, or start with --flagfile=digits_r.flags."
        )
    if values.final_temperature > values.initial_temperature:
        raise UserError(
            f"--final_temperature={values.final_temperature} must not be above "
            f"--initial_temperature={values.initial_temperature}: the temperature falls during training."
        )


def _with_flagfiles(argv: Sequence[str], inside: tuple[str, ...] = ()) -> list[str]:
    """Replace every --flagfile by the flags in it; flag files may name others."""
    found: list[str] = []
    arguments = iter(argv)
    for argument in arguments:
        name, separator, path = argument.partition("=")
        if name not in ("--flagfile", "-flagfile"):
            found.append(argument)
            continue
        path = _flagfile(path if separator else next(arguments, ""))
        if path in inside:
            raise UserError(f"The flag file {path} names itself: take that line out.")
        found += _with_flagfiles(_lines(path), (*inside, path))
    return found


def _lines(path: str) -> list[str]:
    try:
        lines = [line.strip() for line in pathlib.Path(path).read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--flagfile={path} must be a text file with a flag a line, but: {error}.") from error
    return [line for line in lines if line and not line.startswith(("#", "//"))]


def _flagfile(path: str) -> str:
    expanded = os.path.expanduser(path)
    if os.path.isfile(expanded):
        return expanded
    published = _published()
    for name in (path, f"{path}.flags"):
        if name in published:
            return published[name]
    raise UserError(
        f"--flagfile={path} is not there: give the path of a file, or one of the published "
        f"{', '.join(sorted(published))}."
    )


def _published() -> dict[str, str]:
    return {file.name: str(file) for file in FLAGFILES.glob("*.flags")}


def _one_sentence(message: str) -> str:
    message = " ".join(message.split())
    return message if message.endswith((".", "?")) else f"{message}; see --help."
