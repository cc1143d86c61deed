"""What was measured of a posterior on tasks that it has not seen, as tables for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from tffs.evaluation.left_out.pictures import OFTEN
from tffs.evaluation.picture import image_shape
from tffs.methods.catalogue import shown_as
from tffs.modes.text_table import aligned
from tffs.printable import percent
from tffs.serving.description import UNUSUAL

SHOWN_TASKS, SHOWN_FEATURES, SHOWN_EXTREMES = 50, 50, 3


def over_tasks(result: Mapping[str, Any]) -> list[str]:
    """Write the errors over left-out tasks, beside yardsticks, and the worst tasks."""
    found, k = result["left_out"], result["num_selected"]
    share = found["relative_error"]
    lines = [["", "median", "mean", "worst"]]
    own = [percent(share[name]) for name in ("median", "mean", "worst")]
    lines.append([f"tffs, {k} features", *own])
    for name in result["yardsticks"]:
        errors = [task["yardsticks"][name] for task in result["tasks"] if task["yardsticks"][name] is not None]
        mean = sum(errors) / len(errors) if errors else None
        median = result["yardsticks"][name]["relative_error"]
        lines.append([shown_as(name, k), percent(median), percent(mean), percent(max(errors, default=None))])
    expected = f"expected {percent(found['expected_error'])}, " if found["expected_error"] is not None else ""
    coverage = "" if found["coverage"] is None else f"90 % intervals cover {percent(found['coverage'])}, "
    return [
        *aligned(lines, {0}),
        "(errors as shares of answering the source tasks' mean: lower is better)",
        f"({expected}{coverage}worst is task {share['worst_task']})",
        "",
        *_tasks(result["tasks"], k),
    ]


def _tasks(tasks: Sequence[Mapping[str, Any]], k: int) -> list[str]:
    """Write a line for each task, the worst first; of many tasks, the worst."""
    ordered = sorted(tasks, key=lambda task: -(task["relative_error"] or 0.0))
    beside = list(tasks[0]["yardsticks"])[:1]
    lines = [["task", "rows", "error", "expected", *beside, "novelty"]]
    for task in ordered[:SHOWN_TASKS]:
        lines.append(
            [
                task["task"],
                str(task["rows"]),
                percent(task["relative_error"]),
                percent(task["expected_error"]),
                *(percent(task["yardsticks"][name]) for name in beside),
                "-" if task["novelty"] is None else f"{task['novelty']:.2f}",
            ]
        )
    more = len(tasks) - SHOWN_TASKS
    rest = [f"... and {more} tasks with less error, in result.json"] if more > 0 else []
    novel = [task["task"] for task in tasks if (task["novelty"] or 0.0) >= UNUSUAL]
    if novel and len(novel) < len(tasks):
        rest.append(f"Least like the others: {', '.join(novel[:SHOWN_TASKS])} (novelty of at least {UNUSUAL}).")
    return [*aligned(lines, {0}), *rest]


def over_counts(result: Mapping[str, Any]) -> list[str]:
    """Write the curve over K."""
    names = list(result["curve"][0]["yardsticks"])
    lines = [["features", "expected", "measured", *names]]
    for point in result["curve"]:
        beside = [percent(point["yardsticks"][name]) for name in names]
        lines.append(
            [str(point["num_selected"]), percent(point["expected"]), percent(point["measured"]), *beside]
        )
    found = result["left_out"]
    told = []
    if found is not None:
        told = [f"From {found['suggested_num_selected']} features on, little is gained."]
    return [*aligned(lines, set()), *told]


def over_features(result: Mapping[str, Any]) -> list[str]:
    """Write how well features are known where they are not measured, the least known first; not of pixels."""
    features = result["features"]
    if image_shape([line["feature"] for line in features]) is not None:
        return []
    known = [line for line in features if line["chosen"] <= OFTEN and line["rmse"] is not None]
    ordered = sorted(known, key=lambda line: -(line["share"] or 0.0))
    lines = [["not measured", "RMSE", "error", "in 90 %"]]
    for line in ordered[:SHOWN_FEATURES]:
        cells = [f"{line['rmse']:.3g}", percent(line["share"]), percent(line["coverage"])]
        lines.append([line["feature"], *cells])
    more = len(ordered) - SHOWN_FEATURES
    rest = [f"... and {more} that are known better, in result.json"] if more > 0 else []
    if len(result["tasks"]) > 1:
        often = sorted((line for line in features if line["chosen"] > OFTEN), key=lambda line: -line["chosen"])
        named = [f"{line['feature']} ({line['chosen']:.0%})" for line in often[:SHOWN_FEATURES]]
        rest += [f"Chosen for most tasks: {', '.join(named)}."] if named else []
    return [*aligned(lines, {0}), *rest]


def stability(result: Mapping[str, Any]) -> list[str]:
    """Say how much of a choice stays with another support or another task."""
    found = result["stability"]
    parts = {"other rows of the same task": found["supports"], "other tasks": found["tasks"]}
    told = [f"{share:.2f} with {what}" for what, share in parts.items() if share is not None]
    return [f"How much of the choice stays (Jaccard, 1 is all): {', '.join(told)}."] if told else []


def extremes(result: Mapping[str, Any]) -> list[str]:
    """Say which few rows make most of the error."""
    if not result["extremes"]:
        return []
    lines = ["A few extreme rows make most of the error of a task; look whether they are right:"]
    for cell in result["extremes"][:SHOWN_EXTREMES]:
        lines.append(
            f"  task {cell['task']}, its row {cell['row']}: {cell['feature']} is {cell['value']:.4g}, inferred "
            f"{cell['inferred']:.4g} (such rows make {percent(cell['share'])} of the task's error)"
        )
    return lines
