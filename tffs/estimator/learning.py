"""From rows in memory to a fitted model."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tffs.config import RunConfig
from tffs.config.run import FOLDS, NO_TARGET, RUN_OPTIONS
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed, warn
from tffs.estimator.left_out_figures import LeftOutFigures
from tffs.estimator.names import OF_METHOD
from tffs.methods.catalogue import METHODS_OF_RUNS, POSTERIOR, method_of_runs
from tffs.planning.plan import plan
from tffs.planning.setting import settle_rows
from tffs.running.watcher import Watcher
from tffs.serving.export import describe
from tffs.serving.model_in_memory import ModelInMemory
from tffs.serving.training_facts import training_facts

ONE_TASK = "all"
COARSE = 1000.0  # steps of 32-bit numbers that a feature must vary by


class Learned(NamedTuple):
    """What was learned from rows.

    Attributes:
        door: the fitted model.
        figures: what is measured on tasks left out, when it is asked for.
    """

    door: ModelInMemory
    figures: LeftOutFigures


class Fit(NamedTuple):
    """How to fit; see `FewShotFeatureSelector`."""

    num_selected: int
    method: str
    scaling: str
    missing: str
    folds: int
    seed: int
    feature_weights: Any
    checkpoint_dir: str | None
    method_params: Mapping[str, Any]


def learn(matrix: np.ndarray, names: tuple[str, ...], groups: Any, fit: Fit, watcher: Watcher) -> Learned:
    """Fit a model.

    Args:
        matrix: [rows, features] in raw units; NaN where a value is missing.
        names: of the features.
        groups: whose row it is, [rows], or None for one task.
        fit: how to fit.
        watcher: is told how it goes.
    """
    tasks, labels = tasks_of(matrix, names, groups, fit.missing)
    weights = weights_by_name(fit, names)
    config = run_of(fit, tasks, weights)
    setting = settle_rows(plan(config, tasks, watcher.say), tasks, watcher.say, weights)
    checkpoints = fit.checkpoint_dir and os.path.join(fit.checkpoint_dir, "checkpoints")
    fitted = method_of_runs(setting.config).fit(setting, watcher.session(checkpoints=checkpoints))
    model = setting.in_raw_units(fitted.model)
    description = describe(
        model,
        names,
        (setting.config.data.support_size,),
        1,
        setting.config.data.scaling or "none",
        setting.statistics,
        None,
        training_facts(setting, fitted, None),
    )
    return Learned(ModelInMemory(model, description), LeftOutFigures(setting, fitted, watcher, labels))


def tasks_of(matrix: np.ndarray, names: tuple[str, ...], groups: Any, missing: str) -> tuple[Tasks, list[Any]]:
    """Sort rows by task, and give what the tasks are called in `groups`."""
    with np.errstate(over="ignore"):
        rows = np.asarray(matrix, np.float32)
    if np.isinf(rows).any():
        row, feature = np.argwhere(np.isinf(rows))[0]
        raise UserError(
            f"X must be finite 32-bit numbers, but '{names[feature]}' in row {row + 1} is "
            f"{matrix[row, feature]}: check its unit."
        )
    empty = [names[feature] for feature in np.flatnonzero(np.isnan(rows).all(axis=0))]
    if empty:
        raise UserError(f"X has no value of {listed(empty)}: leave these columns out.")
    if groups is None:
        warn(
            "No groups were given, so all rows are one task: what differs between tasks cannot be learned, and "
            "nothing can be measured on tasks left out. Pass groups, which say whose row each is."
        )
        codes, labels = np.zeros(len(rows), np.int64), [ONE_TASK]
    else:
        codes, labels = coded(groups, len(rows))
    _warn_of_offsets(rows, names)
    if missing == "drop_rows":
        whole = ~np.isnan(rows).any(axis=1)
        rows, codes = rows[whole], codes[whole]
        if not len(rows):
            raise UserError("Every row of X has a missing value: use missing='median', or leave columns out.")
        kept, codes = np.unique(codes, return_inverse=True)
        labels = [labels[place] for place in kept]
    order = np.argsort(codes, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(labels)))]).astype(np.int64)
    return Tasks(np.ascontiguousarray(rows[order]), names, _task_names(labels), offsets), labels


def coded(groups: Any, rows: int) -> tuple[np.ndarray, list[Any]]:
    """Number the tasks that rows are of, in order: int [rows], and what each is called."""
    if isinstance(groups, np.ndarray) and groups.ndim > 1:
        groups = groups.ravel() if groups.size == len(groups) else list(map(tuple, groups.tolist()))
    try:
        groups = pd.Series(list(groups), dtype=None if len(groups) else object)
    except TypeError as error:
        raise UserError(f"groups must say of each row whose it is. Received: {groups!r}.") from error
    if len(groups) != rows:
        raise UserError(
            f"groups must say of each row whose it is: X has {rows} rows, groups has {len(groups)}."
        )
    if groups.isna().any():
        where = int(np.flatnonzero(groups.isna())[0])
        raise UserError(f"groups is missing for row {where + 1}: say whose row it is, or leave the row out.")
    try:
        codes, values = pd.factorize(groups, sort=True)
    except TypeError:  # numbers beside texts have no order
        codes, values = pd.factorize(groups)
    return codes.astype(np.int64), list(values)


def _task_names(labels: Sequence[Any]) -> tuple[str, ...]:
    """Name tasks: each once, and none as a flag keeps a name for something else."""
    names: list[str] = []
    for label in labels:
        name = str(label)
        while name in names or name in (NO_TARGET, FOLDS):
            name += "_"
        names.append(name)
    return tuple(names)


def _warn_of_offsets(rows: np.ndarray, names: tuple[str, ...]) -> None:
    """Warn of features that differ by little more than 32-bit numbers can tell."""
    low, high = np.fmin.reduce(rows, axis=0), np.fmax.reduce(rows, axis=0)
    width, size = high.astype(np.float64) - low, np.maximum(np.abs(low), np.abs(high)).astype(np.float64)
    coarse = np.flatnonzero((width > 0) & (width < COARSE * np.finfo(np.float32).eps * size))
    if len(coarse):
        warn(
            f"{listed([names[place] for place in coarse])} vary so little beside their size that 32-bit "
            "numbers hardly tell their values apart: subtract a constant from them."
        )


def run_of(fit: Fit, tasks: Tasks, weights: np.ndarray | None) -> RunConfig:
    """Put together the configuration of a run on rows in memory."""
    if fit.method not in METHODS_OF_RUNS:
        raise UserError(f"method must be one of {', '.join(METHODS_OF_RUNS)}. Received: {fit.method!r}.")
    if not isinstance(fit.folds, int | np.integer):
        raise UserError(f"folds must be a whole number; below 2 nothing is measured. Received: {fit.folds!r}.")
    if not isinstance(fit.method_params, Mapping):
        raise UserError(f"method_params must be a dict of names and values. Received: {fit.method_params!r}.")
    if fit.missing not in ("error", "median", "drop_rows"):
        raise UserError(f"missing must be 'error', 'median' or 'drop_rows'. Received: {fit.missing!r}.")
    own = {name: RUN_OPTIONS[name] for name in OF_METHOD}
    unknown = [name for name in fit.method_params if name not in own]
    if unknown:
        raise UserError(f"method_params has {listed(unknown)}, which is none of {', '.join(sorted(own))}.")
    for name in fit.method_params:
        methods = own[name].methods
        if methods is not None and fit.method not in methods:
            raise UserError(
                f"method_params has '{name}', which method='{fit.method}' does not use: leave it out, or use "
                f"method='{methods[0]}'."
            )
    content = b"" if fit.checkpoint_dir is None else _content(tasks, weights)
    measured = fit.method == POSTERIOR and fit.folds >= 2
    values = {
        **{name: option.default for name, option in RUN_OPTIONS.items()},
        **{"validation": "rows"},
        **fit.method_params,
        **{"dataset": f"table/rows-{hashlib.sha256(content).hexdigest()[:16]}"},
        **{"scaling": fit.scaling, "missing": "median" if fit.missing == "median" else "error"},
        **{"target_task": FOLDS if measured else NO_TARGET, "folds": max(fit.folds, 2)},
        **{"num_selected": fit.num_selected, "method": fit.method, "seed": fit.seed},
    }
    return RunConfig.from_flags(values)


def _content(tasks: Tasks, weights: np.ndarray | None) -> bytes:
    """Give what a fit that is repeated must be of: rows, names, tasks and weights."""
    parts = [np.asarray(tasks.matrix), tasks.offsets, np.ones(0) if weights is None else weights]
    texts = repr((tasks.feature_names, tasks.task_names)).encode()
    return b"".join([part.tobytes() for part in parts] + [texts])


def weights_by_name(fit: Fit, names: tuple[str, ...]) -> np.ndarray | None:
    """Give how much an error of each feature counts, beside what its scaling says: [features], or None."""
    given = fit.feature_weights
    if given is None:
        return None
    if fit.method != POSTERIOR:
        raise UserError(f"feature_weights are for method='posterior', not for '{fit.method}': leave them out.")
    if isinstance(given, Mapping | pd.Series):
        by_name = {str(name): weight for name, weight in given.items()}
        unknown = [name for name in by_name if name not in names]
        if unknown:
            raise UserError(f"feature_weights names {listed(unknown)}, which is no feature: leave it out.")
        given = [by_name.get(name, 1.0) for name in names]
    try:
        weights = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (len(names),) or not np.isfinite(weights).all() or (weights < 0).any():
        raise UserError(
            f"feature_weights must be {len(names)} finite numbers of at least 0, or a mapping from names to "
            f"such numbers. Received: {fit.feature_weights!r}."
        )
    if not weights.any():
        raise UserError("feature_weights are all 0, so no error counts: give some feature a weight.")
    return weights
