"""Measure a trained run on tasks that it has not seen, beside yardsticks."""

import csv
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tffs.config.run import FOLDS
from tffs.errors import UserError
from tffs.evaluation.figures import NO_FIGURES, Figures
from tffs.evaluation.left_out import Summary, curve_counts, measured_on_left_out, on_target
from tffs.evaluation.left_out.pictures import CURVE, draw_curve, draw_features
from tffs.evaluation.result import result_of
from tffs.evaluation.stored_result import stored_result, write_result
from tffs.evaluation.target import evaluate_on_target
from tffs.evaluation.target_picture import CHART, draw_target
from tffs.methods.catalogue import (
    METHODS,
    YARDSTICKS_OF_POSTERIOR,
    Method,
    Pooled,
    Posterior,
    compared,
    method_of_runs,
    shown_as,
    trains_a_network,
)
from tffs.methods.fitted import Fitted, FittedRun
from tffs.methods.pooled import FittedOrder
from tffs.methods.posterior import FittedPosterior
from tffs.planning.setting import Setting
from tffs.running.watcher import Watcher
from tffs.workdir import Workdir


def evaluation(
    setting: Setting, fitted: FittedRun, workdir: Workdir, watcher: Watcher, compare: Sequence[str] = ()
) -> dict[str, Any]:
    """Evaluate a trained run and write its result.json, once.

    Args:
        setting: the run.
        fitted: its model.
        workdir: its folder.
        watcher: is told how far it is.
        compare: the methods to measure beside it; its yardsticks if there are none. What result.json lacks of
            them is added.

    Returns:
        What result.json holds.
    """
    config = setting.config
    methods = compared(config, compare)
    if compare:
        _check_compared(methods, setting)
    stored = stored_result(workdir)
    if stored is not None:
        if not compare or methods.keys() <= stored["yardsticks"].keys():
            return stored
        methods = {**compared(config, tuple(stored["yardsticks"])), **methods}
    watcher.share("measuring", 0.0)
    if config.data.held_out:
        result = _of_target(setting, fitted, methods, workdir, watcher)
    elif config.learns_from_all_rows:
        assert isinstance(fitted, FittedPosterior)
        result = _of_left_out(setting, fitted, methods, workdir, watcher)
    else:
        result = result_of(setting, fitted, None, {})
    return write_result(workdir, result)


def _check_compared(methods: Mapping[str, Method], setting: Setting) -> None:
    """Refuse methods for which there is no task that they have not seen."""
    data = setting.config.data
    if data.held_out:
        return
    if data.target_task != FOLDS:
        raise UserError("--compare measures methods on a held-out task, but this run has none: leave it out.")
    trained = [name for name, method in methods.items() if not isinstance(method, Pooled)]
    if trained:
        raise UserError(
            f"--compare={trained[0]} would have to be fitted again for every fold: hold one task out with "
            "--target_task to compare with it."
        )


def _of_target(
    setting: Setting, fitted: FittedRun, methods: Mapping[str, Method], workdir: Workdir, watcher: Watcher
) -> dict[str, Any]:
    """Measure a run and other methods on the held-out task."""
    k = setting.config.model.num_selected
    figures = _on_target(setting, fitted)
    _write_support(workdir, setting)
    beside = {}
    for name, method in methods.items():
        watcher.share(f"measuring {shown_as(name, k)}", 0.0)
        with watcher.signals.deferred():
            other = _fitted(name, method, workdir, watcher, setting)
        watcher.share(f"measuring {shown_as(name, k)}", 0.0)  # again, after a training
        beside[name] = other, _on_target(setting, other, method.chooses_all)
    watcher.share("drawing", 0.0)
    draw_target(setting, {"tffs": (fitted, figures), **_pictured(beside, k)}, workdir.replacing)
    unseen = {}
    if isinstance(fitted, FittedPosterior):
        orders = {name: other for name, (other, _) in beside.items() if isinstance(other, FittedOrder)}
        counts = curve_counts(setting.tasks.num_features, k)
        unseen = Summary(on_target(fitted, setting, orders, counts), counts, setting).facts()
        with workdir.replacing(CURVE) as path:
            draw_curve(path, unseen["curve"], f"task {setting.config.data.held_out}")
    return result_of(setting, fitted, figures, {name: found for name, (_, found) in beside.items()}, unseen)


def _pictured(
    beside: Mapping[str, tuple[Fitted, Figures]], num_selected: int
) -> dict[str, tuple[Fitted, Figures]]:
    """Give the methods that are drawn beside the run's own, by what people call them: no yardsticks."""
    return {
        shown_as(name, num_selected).removesuffix(f", {num_selected} features"): made
        for name, made in beside.items()
        if name not in YARDSTICKS_OF_POSTERIOR and made[1].msre is not None
    }


def _of_left_out(
    setting: Setting,
    fitted: FittedPosterior,
    methods: Mapping[str, Method],
    workdir: Workdir,
    watcher: Watcher,
) -> dict[str, Any]:
    """Measure what is fitted in the way of a run on every task in turn, where the run asks for it."""
    config, method = setting.config, method_of_runs(setting.config)
    found = None
    if config.data.target_task == FOLDS:
        assert isinstance(method, Posterior)
        found = measured_on_left_out(method, setting, fitted, methods, watcher.share)
    if found is None:
        nothing = np.zeros((0, setting.tasks.num_features), np.float32)
        selected = fitted.candidates(nothing, config.model.num_selected)[0]
        unmeasured = {**NO_FIGURES, "distinct": config.model.num_selected}
        return result_of(setting, fitted, Figures(**unmeasured, selected=tuple(selected.tolist())), {})
    watcher.share("drawing", 0.0)
    where = f"{len(found.unseen['tasks'])} tasks, each left out once"
    with workdir.replacing(CURVE) as path:
        draw_curve(path, found.unseen["curve"], where)
    with workdir.replacing(CHART) as path:
        draw_features(path, found.unseen["features"], where)
    return result_of(setting, fitted, found.own, found.yardsticks, found.unseen)


def _fitted(name: str, method: Method, workdir: Workdir, watcher: Watcher, setting: Setting) -> Fitted:
    """Fit a method, and before it the one that it starts from."""
    start = None
    if method.starts_from is not None:
        start = _fitted(method.starts_from, METHODS[method.starts_from], workdir, watcher, setting)
    if trains_a_network(method):
        setting = setting.with_validation()
    session = watcher.session(f"yardstick '{name}'", workdir.file(f"yardsticks/{name}"))
    return method.fit(setting, session, start)


def _on_target(setting: Setting, fitted: Fitted, chooses_all: bool = False) -> Figures:
    count = setting.tasks.num_features if chooses_all else setting.config.model.num_selected
    _, figures = evaluate_on_target(fitted, setting, count)
    return figures


def _write_support(workdir: Workdir, setting: Setting) -> None:
    """Write the target's support rows as the CSV that --mode=select reads."""
    with workdir.replacing("support.csv") as path, open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(setting.tasks.feature_names)
        writer.writerows([str(value) for value in row] for row in setting.support)
