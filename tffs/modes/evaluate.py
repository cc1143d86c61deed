"""--mode=evaluate: measure a trained run on its held-out target, beside yardsticks."""

import csv
import dataclasses
from typing import Any

import numpy as np

from tffs.config import Command
from tffs.evaluation.feature_chart import draw_feature_errors, feature_errors
from tffs.evaluation.picture import draw_reconstructions, image_shape
from tffs.evaluation.target import TargetFigures, evaluate_on_target, reconstruct_rows, target_batches
from tffs.evaluation.yardsticks import chance, highest_variance_features, random_features
from tffs.models import fixed_model
from tffs.modes.console import Console
from tffs.modes.stored_result import stored_result
from tffs.modes.train import told_flags, trained
from tffs.planning.setting import Setting
from tffs.provenance import versions
from tffs.training.trainer import Trainer, TrainingSummary
from tffs.workdir import Workdir

PICTURE = "reconstructions.png"
CHOSEN = "chosen.png"
CHART = "features.png"
PICTURED_ROWS = 10


def evaluate(command: Command, console: Console, setting: Setting) -> dict[str, Any]:
    """Evaluate the trained run in --workdir and write its result.json, once.

    Returns:
        What result.json holds.
    """
    workdir = Workdir(command.workdir)
    stored = stored_result(workdir)
    if stored is not None:
        return stored
    trained_model, summary = trained(workdir)
    model = trained_model.selector  # figures are in scaled units
    if setting.config.data.target_task == "none":
        figures, yardsticks = None, {}
    else:
        figures = _on_target(setting, model)
        _write_support(workdir, setting)
        _draw(workdir, setting, model, figures)
        yardsticks = _yardsticks(workdir, console, setting)
    result = _result(setting, model, summary, figures, yardsticks)
    return workdir.write_json("result.json", result)


def _yardsticks(workdir: Workdir, console: Console, setting: Setting) -> dict[str, TargetFigures]:
    """Train the same decoder, in the same way, on features that need no learning to choose."""
    config = setting.config
    choices = {
        "random": random_features(setting.tasks.num_features, config.model.num_selected, config.seed),
        "variance": highest_variance_features(setting.tasks, setting.split.train, config.model.num_selected),
    }
    if setting.classes:
        choices["all"] = np.arange(setting.tasks.num_features)  # what choosing costs
    measured = {}
    for name, features in choices.items():
        model = fixed_model(
            setting.tasks.num_features,
            features.tolist(),
            config.model.decoder_units,
            config.model.task_code_dim,
            config.model.embedding_units,
            config.model.output_activation,
            config.seed,
            setting.num_classes,
        )
        model.build()
        trainer = Trainer(
            model,
            setting.chunks(noisy=False),
            setting.validator(model),
            config.training,
            workdir.file(f"yardsticks/{name}"),
            console.progress(f"yardstick '{name}'"),
            console.say,
            console.signals.pending,
            run={**told_flags(setting), "yardstick": name},
        )
        with console.signals.deferred():
            trainer.fit()
        measured[name] = _on_target(setting, model)
    return measured


def _on_target(setting: Setting, model: Any) -> TargetFigures:
    return evaluate_on_target(model, setting.tasks, setting.split, setting.source_mean, setting.config.seed)


def _result(
    setting: Setting,
    model: Any,
    summary: TrainingSummary,
    figures: TargetFigures | None,
    yardsticks: dict[str, TargetFigures],
) -> dict[str, Any]:
    config = setting.config
    names = setting.tasks.feature_names
    measured = _on_validation(setting, model, summary) if figures is None else dataclasses.asdict(figures)
    return {
        "dataset": config.data.name.shown,
        "scaling": config.data.scaling,
        "seed": config.seed,
        "target_task": None if figures is None else config.data.target_task,
        "validation_task": config.data.validation_task,
        "support_size": config.data.support_size,
        "num_selected": config.model.num_selected,
        "steps": config.training.steps,
        "best_step": summary.best_step,
        "train_seconds": summary.train_seconds,
        "steps_per_second": summary.steps_per_second,
        "compile_seconds": summary.compile_seconds,
        "validation_seconds": summary.validation_seconds,
        "evaluated_on": "validation" if figures is None else "target",
        **measured,
        "selected": None if figures is None else [names[feature] for feature in figures.selected],
        "classes": list(setting.classes) or None,
        "chance": _chance(setting) if setting.classes else None,
        "yardsticks": {
            name: {key: value for key, value in dataclasses.asdict(figure).items() if key != "selected"}
            for name, figure in yardsticks.items()
        },
        "versions": versions(),
    }


def _on_validation(setting: Setting, model: Any, summary: TrainingSummary) -> dict[str, Any]:
    """Give the figures of the validation episodes, where no task was held out."""
    validator = setting.validator(model)
    msre = relative_error = accuracy = None
    if setting.classes:
        accuracy = validator.accuracy()
    else:
        msre, by_mean = summary.validation_loss, validator.error_of(setting.source_mean)
        relative_error = msre / by_mean if by_mean > 0 else None
    return {
        "msre": msre,
        "relative_error": relative_error,
        "accuracy": accuracy,
        "ari": None,
        "nmi": None,
        "distinct": summary.validation_distinct,
    }


def _chance(setting: Setting) -> float:
    split, labels = setting.split, setting.tasks.labels
    assert labels is not None
    held_out = setting.config.data.target_task != "none"
    return chance(labels, split.train.rows, split.target_test if held_out else split.validation.rows)


def _write_support(workdir: Workdir, setting: Setting) -> None:
    """Write the target's support rows as the CSV that --mode=select reads."""
    with workdir.replacing("support.csv") as path, open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(setting.tasks.feature_names)
        writer.writerows([str(value) for value in row] for row in setting.support)


def _draw(workdir: Workdir, setting: Setting, model: Any, figures: TargetFigures) -> None:
    """Draw what is known of the target: images where the features are pixels, else a bar a feature.

    Bars show how well features are known, so there are none where nothing is reconstructed.
    """
    tasks, split, data = setting.tasks, setting.split, setting.config.data
    selected, support = np.asarray(figures.selected), tasks.matrix[split.target_support]
    named = f"{data.name.shown}, task {data.target_task}, never seen in training"
    shape = image_shape(tasks.feature_names)
    if shape is None and setting.classes:
        return
    if shape is None:
        pairs = (
            (rows, reconstruct_rows(model, support, rows, selected)) for rows in target_batches(tasks, split)
        )
        errors = feature_errors(pairs, setting.source_mean)
        with workdir.replacing(CHART) as path:
            draw_feature_errors(path, tasks.feature_names, errors, figures.selected, named)
        return
    chosen = split.target_test
    if tasks.labels is not None:
        _, first = np.unique(tasks.labels[chosen], return_index=True)
        chosen = chosen[first]
    rows = tasks.matrix[chosen[:PICTURED_ROWS]]
    with workdir.replacing(CHOSEN if setting.classes else PICTURE) as path:
        draw_reconstructions(
            path,
            shape,
            rows,
            None if setting.classes else reconstruct_rows(model, support, rows, selected),
            support,
            figures.selected,
            f"{named}: {figures.distinct} of {tasks.num_features} pixels chosen from {len(support)} images",
        )
