"""--mode=evaluate: measure a trained run on its held-out target, beside yardsticks."""

import csv
from typing import Any

from tffs.config import Command
from tffs.evaluation.figures import Figures
from tffs.evaluation.result import result_of
from tffs.evaluation.target import evaluate_on_target
from tffs.evaluation.target_picture import draw_target
from tffs.methods.catalogue import YARDSTICKS, YARDSTICKS_OF_CLASSIFIERS
from tffs.methods.fitted import Fitted, FittedModel
from tffs.modes.console import Console
from tffs.modes.report import report
from tffs.modes.stored_result import stored_result
from tffs.modes.train import finished_run
from tffs.planning.setting import Setting
from tffs.workdir import Workdir


def evaluate(command: Command, console: Console) -> None:
    """Print the figures of the trained run in --workdir."""
    with finished_run(command, console) as (setting, fitted, workdir):
        console.show(report(evaluation(setting, fitted, workdir, console), workdir))


def evaluation(setting: Setting, fitted: FittedModel, workdir: Workdir, console: Console) -> dict[str, Any]:
    """Evaluate a trained run and write its result.json, once.

    Returns:
        What result.json holds.
    """
    stored = stored_result(workdir)
    if stored is not None:
        return stored
    figures, yardsticks = None, {}
    if setting.config.data.target_task != "none":
        figures = _on_target(setting, fitted)
        _write_support(workdir, setting)
        draw_target(setting, fitted, figures, workdir.replacing)
        yardsticks = _yardsticks(workdir, console, setting)
    return workdir.write_json("result.json", result_of(setting, fitted, figures, yardsticks))


def _yardsticks(workdir: Workdir, console: Console, setting: Setting) -> dict[str, Figures]:
    """Train the same decoder, in the same way, on features that need no learning to choose."""
    methods = YARDSTICKS_OF_CLASSIFIERS if setting.classes else YARDSTICKS
    measured = {}
    for name, method in methods.items():
        session = console.session(f"yardstick '{name}'", workdir.file(f"yardsticks/{name}"))
        with console.signals.deferred():
            measured[name] = _on_target(setting, method.fit(setting, session))
    return measured


def _on_target(setting: Setting, fitted: Fitted) -> Figures:
    _, figures = evaluate_on_target(fitted, setting, setting.config.model.num_selected)
    return figures


def _write_support(workdir: Workdir, setting: Setting) -> None:
    """Write the target's support rows as the CSV that --mode=select reads."""
    with workdir.replacing("support.csv") as path, open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(setting.tasks.feature_names)
        writer.writerows([str(value) for value in row] for row in setting.support)
