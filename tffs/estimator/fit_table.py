"""`fit_table`: fit from a table that need not fit into memory, as the command line does."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from data_builders.table.options import TableOptions
from data_builders.table.table import Table
from tffs.config import Command
from tffs.config.run import NO_TARGET
from tffs.errors import UserError
from tffs.estimator.choice import AUTO
from tffs.estimator.feature_count import feature_count
from tffs.estimator.names import FLAG_OF, OF_METHOD, in_python, said_in_python
from tffs.flags.command import command_of
from tffs.flags.definitions import every_flag
from tffs.running.watcher import Verbose, Watcher
from tffs.startup import import_tensorflow, memory_explained

if TYPE_CHECKING:
    from tffs.estimator.selector import FewShotFeatureSelector

_KEPT = ("task_column", "workdir")  # flags after which the parameters here are named
_OF_ANSWERS = ("include", "exclude", "costs", "budget")  # which decide nothing about the fit
_OF_FIT = ("n_features_to_select", "method", "scaling", "missing", "folds", "random_state", "method_params")
# What a flag says that is no parameter here: Python says it otherwise, or it is about processes.
_NOT_HERE = ("mode", "dataset", "table", *_KEPT, "num_selected", "seed", "threads", "distribute")


def fit_table(
    path: str, task_column: str | None = None, *, workdir: str | None = None, **parameters: Any
) -> "FewShotFeatureSelector":
    """Fit a selector from a file, measure it on tasks left out and export it, as the command line does.

    The rows are read in blocks and streamed from the disk if they take more than half of the free memory. What
    was done in `workdir` before is not done again, so the same call goes on after it was stopped.

    Args:
        path: a CSV (also .gz), Parquet or .npz file, or a folder with one such file a task.
        task_column: the column that says whose row it is; None for a folder and for .npz.
        workdir: where the run is written; runs/<name of the file> if not given.
        **parameters: those of `FewShotFeatureSelector`, with `random_state` of 0 if not given. Also flags of
            the command line by their names: `feature_columns`, `label_column`, `ignore_columns`, `cache`,
            `data_dir`, `data_mirror`, `beam_options`, `target_task`, `loss`, `compare`, `keep_versions`.

    Returns:
        What `tffs.load(workdir)` gives, with these parameters.

    Example:
        >>> import tffs
        >>> try:
        ...     tffs.fit_table("machines.csv", task_column="machine", num_selected=8)
        ... except tffs.UserError as error:
        ...     print(error)
        fit_table has no parameter 'num_selected': it is called n_features_to_select.
    """
    answers = {name: parameters.pop(name) for name in _OF_ANSWERS if name in parameters}
    folder = run_table(path, task_column, workdir=workdir, **parameters)
    own = {name: parameters[name] for name in (*_OF_FIT, "verbose") if name in parameters}
    own.setdefault("random_state", 0)
    from tffs.estimator.loading import load

    return load(folder).set_params(**own, **answers)


def run_table(
    path: str,
    task_column: str | None = None,
    *,
    workdir: str | None = None,
    verbose: int = 0,
    **parameters: Any,
) -> str:
    """Run what `fit_table` runs.

    Returns:
        The run's folder.
    """
    with said_in_python(_KEPT), memory_explained():
        command = table_command(path, task_column, workdir, parameters)
        import_tensorflow()
        from tffs.running.whole_run import whole_run

        whole_run(command, Verbose(worded=lambda note: in_python(note, _KEPT)) if verbose else Watcher())
    return command.workdir


def table_command(
    path: str, task_column: str | None, workdir: str | None, parameters: Mapping[str, Any]
) -> Command:
    """Give the command that the parameters stand for."""
    given = {name: _plain(value) for name, value in parameters.items() if value is not None}
    flags = {
        **{"table": os.fspath(path), "task_column": task_column},
        **{"workdir": _workdir(workdir, given.pop("checkpoint_dir", None))},
        **_method_params(given.pop("method_params", {})),
    }
    wanted = given.pop("n_features_to_select", None)
    flags["seed"] = given.pop("random_state", None)
    if isinstance(given.get("folds"), int) and given["folds"] < 2:  # nothing is measured
        del given["folds"]
        given.setdefault("target_task", NO_TARGET)
    for name, value in given.items():
        _check_known(name)
        flags[name] = value
    flags = {name: value for name, value in flags.items() if value is not None}
    table = command_of(flags).place.table
    assert table is not None
    return command_of({**flags, "num_selected": _number(wanted, table)})


def _plain(value: Any) -> Any:
    """Give what NumPy and pandas have as Python's numbers and lists, and a path as text."""
    if isinstance(value, np.generic | np.ndarray | pd.Index | pd.Series):
        return value.tolist()
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _workdir(workdir: str | None, checkpoint_dir: str | None) -> str | None:
    if workdir is not None and checkpoint_dir is not None:
        raise UserError(
            "workdir and checkpoint_dir were both given, and each says where the run is written: keep workdir."
        )
    return checkpoint_dir if workdir is None else os.fspath(workdir)


def _method_params(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise UserError(f"method_params must be a dict of names and values, but received {given!r}.")
    unknown = [name for name in given if name not in OF_METHOD]
    if unknown:
        raise UserError(f"method_params has '{unknown[0]}', which is none of {', '.join(sorted(OF_METHOD))}.")
    return {name: _plain(value) for name, value in given.items()}


def _check_known(name: str) -> None:
    """Refuse what is no parameter of `fit_table`."""
    if name == "feature_weights":
        raise UserError("feature_weights are not taken by fit_table: fit the rows in memory with fit().")
    known = {flag for flag, (_, modes) in every_flag().items() if "run" in modes and flag not in _NOT_HERE}
    if name in known - set(OF_METHOD):
        return
    elsewhere = {
        **{flag: f"it is called {parameter}" for parameter, flag in FLAG_OF.items()},
        **dict.fromkeys(OF_METHOD, "put it into method_params"),
        "groups": "it is called task_column, and names a column",
    }
    own = {*_OF_FIT, *_OF_ANSWERS, "verbose", "checkpoint_dir", *known} - set(OF_METHOD)
    raise UserError(
        f"fit_table has no parameter '{name}': "
        + elsewhere.get(name, f"it has path, task_column, workdir, {', '.join(sorted(own))}")
        + "."
    )


def _number(wanted: Any, options: TableOptions) -> int:
    """Give K for a table; `auto` is decided for each task later, from a posterior that answers for any K."""
    features = len(Table(options).feature_names)
    default: int = every_flag()["num_selected"].option.default
    if not features:  # which the run refuses, with all that is wrong
        return default
    if wanted in (None, AUTO):
        return min(default, features)
    return feature_count(wanted, features)
