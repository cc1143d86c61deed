"""The page a person reads at the end of a run."""

import math
import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any

from tffs.evaluation.figures import METRICS
from tffs.evaluation.left_out.pictures import CURVE
from tffs.evaluation.result import LEFT_OUT, VALIDATION
from tffs.evaluation.target_picture import CHART, CHOSEN, PICTURE
from tffs.methods.catalogue import POSTERIOR, shown_as
from tffs.modes.unseen_tasks import extremes, over_counts, over_features, over_tasks, stability
from tffs.printable import percent
from tffs.report.of_run import REPORT
from tffs.serving.contract import versions_in
from tffs.training.progress import duration
from tffs.workdir import Workdir


def printed_result(result: dict[str, Any], workdir: Workdir) -> str:
    """Write a result as text.

    Args:
        result: what result.json holds.
        workdir: where the run's files are.
    """
    k = result["num_selected"]
    predicted = result.get("accuracy") is not None  # 0.2.0 wrote none
    lines = [_trained(result), ""]
    if result["evaluated_on"] == LEFT_OUT:
        lines += _left_out(result)
    elif result["evaluated_on"] is None:
        lines += ["Nothing was measured, because no task was left out.", "", *_without_support(result)]
    elif result["evaluated_on"] == VALIDATION:
        lines += [
            "No task was held out, so there is no test figure. On the validation episodes:",
            f"  {_validation_accuracy(result) if predicted else _validation_msre(result)}, "
            f"{result['distinct']:.1f} distinct features on average",
        ]
    else:
        selected = result["selected"]
        lines += [
            f"For task {result['target_task']}, which training never saw, from {result['support_size']} rows:",
            f"  {_named(selected)}",
            f"  ({result['distinct']} distinct of {k})",
            "",
            *_comparison(result, k),
            *_of_unseen(result),
        ]
    lines += ["", f"Written to {workdir.path}:"]
    return "\n".join(lines + _files(workdir))


def _left_out(result: dict[str, Any]) -> list[str]:
    """Write what was measured on every task in turn."""
    found = result["left_out"]
    better = [
        shown_as(name, result["num_selected"])
        for name, figures in result["yardsticks"].items()
        if (figures["relative_error"] or 0.0) < (result["relative_error"] or 0.0)
    ]
    return [
        f"Each of {found['tasks']} tasks was left out once, in {found['folds']} folds, and measured with "
        f"{result['support_size']} rows of it known:",
        "",
        *over_tasks(result),
        *_verdict(better, "reconstruct", result),
        *_of_unseen(result),
        "",
        *_without_support(result),
    ]


def _of_unseen(result: dict[str, Any]) -> list[str]:
    """Write what else was measured of a posterior."""
    if not result.get("curve"):
        return []
    lines = []
    for part in (over_counts, over_features, stability, extremes):
        told = part(result)
        lines += ["", *told] if told else []
    return lines


def _without_support(result: dict[str, Any]) -> list[str]:
    k, curve = result["num_selected"], result.get("curve") or ()
    known = [point.get("nothing_known") for point in curve if point["num_selected"] == k]
    left = f" ({percent(known[0])} of the error is left)" if known and known[0] is not None else ""
    return [f"For a new task of which nothing is known, measure{left}:", f"  {_named(result['selected'])}"]


def _named(features: Sequence[str]) -> str:
    """Write names one after the other, so that they can be told apart."""
    return ("; " if any("," in name for name in features) else ", ").join(features)


def _trained(result: dict[str, Any]) -> str:
    seconds = duration(result["train_seconds"])
    if not _is_trained(result):
        return f"Fitted in {seconds}{_chosen(result['chosen']) if result.get('chosen') else ''}."
    return (
        f"Trained {result['steps']} steps in {seconds}, compiling and validating included "
        f"({result['steps_per_second']:,.0f} steps/s without); step {result['best_step']} was best."
    )


def _is_trained(result: dict[str, Any]) -> bool:
    """Tell whether steps of gradient descent made the model; 0.6.0 wrote no method."""
    return result["steps"] is not None and result.get("method") != POSTERIOR


def _chosen(chosen: dict[str, Any]) -> str:
    """Say what was chosen on left-out source tasks, in a few words."""
    recipe, residual = chosen["recipe"], chosen.get("residual") or {}
    decoder = f"a mixture of {recipe['components']}" if recipe["components"] else "one Gaussian"
    decoder += f" of rank {chosen['rank']} and a diagonal" if chosen.get("rank") else ""
    network = ", corrected by a residual network" if residual.get("kept") else ""
    if not chosen["left_out"]:
        return f": {decoder}{network}; too few source tasks to choose by leaving some out"
    return f": {decoder}{network}, chosen on {chosen['left_out']} source tasks that were left out in turn"


def _validation_msre(result: dict[str, Any]) -> str:
    share = METRICS["relative_error"].shown(result["relative_error"])
    return (
        f"validation MSRE {METRICS['msre'].shown(result['msre'])} ({share} of the error of answering the mean)"
    )


def _validation_accuracy(result: dict[str, Any]) -> str:
    by_chance = f"{result['chance']:.1f} % by always answering the commonest class"
    return f"validation accuracy {result['accuracy']:.1f} % ({by_chance})"


def _comparison(result: dict[str, Any], k: int) -> list[str]:
    """Write a table of the figures that were measured, and what to think of them."""
    rows = {f"tffs, {k} features": result}
    for name, figures in result["yardsticks"].items():
        rows[shown_as(name, k)] = figures
    metrics = [
        metric
        for metric in METRICS.values()
        if metric.in_table and any(figures.get(metric.name) is not None for figures in rows.values())
    ]
    cells = [["on its other rows", *(metric.title for metric in metrics)]]
    cells += [
        [name, *(metric.shown(figures.get(metric.name)) for metric in metrics)]
        for name, figures in rows.items()
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in cells]
    return lines + (_accuracies(result, rows) if result.get("classes") else _errors(result, rows))


def _errors(result: dict[str, Any], rows: dict[str, dict[str, Any]]) -> list[str]:
    errors = {name: math.inf if figures["msre"] is None else figures["msre"] for name, figures in rows.items()}
    own = next(iter(errors.values()))  # one that is not finite is stored as none
    better = [name for name, error in errors.items() if error < own]
    note = ["(MSRE, and as a share of the error of answering the source tasks' mean: lower is better)"]
    if result.get("method") != POSTERIOR:
        note = [
            "(MSRE, and as a share of the error of answering the source tasks' mean: lower is better; every",
            " choice has a decoder of its own, trained in the same way)",
        ]
    return [
        *note,
        *_verdict(better, "reconstruct", result),
    ]


def _accuracies(result: dict[str, Any], rows: dict[str, dict[str, Any]]) -> list[str]:
    every_feature = shown_as("all", result["num_selected"])
    chosen = {name: figures for name, figures in rows.items() if name != every_feature}
    better = [name for name, figures in chosen.items() if figures["accuracy"] > result["accuracy"]]
    return [
        f"(of {len(result['classes'])} classes; always answering the source tasks' commonest class gives "
        f"{result['chance']:.1f} %; every choice has",
        " a classifier of its own, trained in the same way)",
        *_verdict(better, "classify", result),
    ]


def _verdict(better: list[str], do: str, result: dict[str, Any]) -> list[str]:
    """Say so where a yardstick with as many features does better."""
    if not better:
        return []
    advice = [] if result.get("scaling") == "standard" else ["--scaling=standard"]
    advice += ["more --steps"] if _is_trained(result) else []
    return [
        "",
        f"Here {' and '.join(better)} {do} better than what tffs chose, so this model is",
        f"not worth using as it is: try {', '.join([*advice, 'another --num_selected'])},",
        "or more source tasks.",
    ]


def _files(workdir: Workdir) -> list[str]:
    python = min(sys.executable, os.path.relpath(sys.executable), key=len)
    what = {
        REPORT: "all of this as a page to look at, search and mail",
        "result.json": "these figures",
        CURVE: "the error that is left over the number of measured features",
        CHART: "how well each feature is known from the chosen ones",
        PICTURE: "originals, reconstructions and the chosen pixels",
        CHOSEN: "images of the task and the chosen pixels",
        "support.csv": "the rows that the features were chosen from",
        "model.keras": "the trained Keras model",
        "tensorboard": f"training curves: {python} -m tensorboard.main --logdir={workdir.file('tensorboard')}",
    }
    lines = [f"  {name:<22}{text}" for name, text in what.items() if os.path.exists(workdir.file(name))]
    versions = versions_in(workdir.exports)
    if versions:
        lines.append(
            f"  {f'export/{versions[-1]}':<22}the SavedModel; base path for a server: {workdir.exports}"
        )
        support = workdir.file("support.csv")
        rows = shlex.quote(support) if os.path.exists(support) else "ROWS.csv"
        lines += [
            "",
            "Select for new rows:",
            f"  {python} -m tffs.main --mode=select --model={shlex.quote(workdir.path)} --support={rows}",
            "Serve it (docs/howto/serving.md):",
            f"  {python} -m tffs.main --mode=serve --model_base_path={shlex.quote(workdir.exports)}",
        ]
    return lines
