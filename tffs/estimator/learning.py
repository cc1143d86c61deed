"""From rows in memory to a fitted model."""

import hashlib
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tffs.config import RunConfig
from tffs.config.run import FOLDS, NO_TARGET, RUN_OPTIONS
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed
from tffs.estimator.grouping import tasks_of
from tffs.estimator.left_out_figures import LeftOutFigures
from tffs.estimator.names import OF_METHOD
from tffs.methods.catalogue import METHODS_OF_RUNS, POSTERIOR, method_of_runs
from tffs.planning.plan import plan
from tffs.planning.setting import settle_rows
from tffs.running.watcher import Watcher
from tffs.serving.described_run import described_run
from tffs.serving.model_in_memory import ModelInMemory


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
    door = ModelInMemory(*described_run(setting, fitted, None))
    return Learned(door, LeftOutFigures(setting, fitted, watcher, labels))


def run_of(fit: Fit, tasks: Tasks, weights: np.ndarray | None) -> RunConfig:
    """Put together the configuration of a run on rows in memory."""
    if fit.method not in METHODS_OF_RUNS:
        raise UserError(f"method must be one of {', '.join(METHODS_OF_RUNS)}. Received: {fit.method!r}.")
    if not isinstance(fit.folds, int | np.integer):
        raise UserError(f"folds must be a whole number; below 2 nothing is measured. Received: {fit.folds!r}.")
    if not isinstance(fit.method_params, Mapping):
        raise UserError(f"method_params must be a dict of names and values. Received: {fit.method_params!r}.")
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
