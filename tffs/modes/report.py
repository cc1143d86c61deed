"""The page a person reads at the end of a run."""

import math
import os
import shlex
import sys
from typing import Any

from tffs.modes.evaluate import CHART, CHOSEN, PICTURE
from tffs.serving.contract import versions_in
from tffs.training.progress import duration
from tffs.workdir import Workdir

_NAMES = {
    "random": "{k} random features",
    "variance": "{k} features of highest variance",
    "all": "all features",
}


def report(result: dict[str, Any], workdir: Workdir) -> str:
    """Write a result as text.

    Args:
        result: what result.json holds.
        workdir: where the run's files are.
    """
    k = result["num_selected"]
    predicted = result.get("accuracy") is not None  # 0.2.0 wrote none
    lines = [
        f"Trained {result['steps']} steps in {duration(result['train_seconds'])}, compiling and validating "
        f"included ({result['steps_per_second']:,.0f} steps/s without); step {result['best_step']} was best.",
        "",
    ]
    if result["evaluated_on"] == "validation":
        lines += [
            "No task was held out, so there is no test figure. On the validation episodes:",
            f"  {_validation_accuracy(result) if predicted else _validation_msre(result)}, "
            f"{result['distinct']:.1f} distinct features on average",
        ]
    else:
        selected = result["selected"]
        lines += [
            f"For task {result['target_task']}, which training never saw, from {result['support_size']} rows:",
            f"  {('; ' if any(',' in name for name in selected) else ', ').join(selected)}",
            f"  ({result['distinct']} distinct of {k})",
            "",
            *(_accuracies(result, k) if predicted else _comparison(result, k)),
        ]
    lines += ["", f"Written to {workdir.path}:"]
    return "\n".join(lines + _files(workdir))


def _validation_msre(result: dict[str, Any]) -> str:
    share = _percent(result["relative_error"]).strip()
    return f"validation MSRE {_error(result['msre']).strip()} ({share} of the error of answering the mean)"


def _validation_accuracy(result: dict[str, Any]) -> str:
    by_chance = f"{result['chance']:.1f} % by always answering the commonest class"
    return f"validation accuracy {result['accuracy']:.1f} % ({by_chance})"


def _rows(result: dict[str, Any], k: int) -> dict[str, dict[str, Any]]:
    """Give the figures of the model and its yardsticks by their names for people."""
    yardsticks = result["yardsticks"].items()
    return {
        f"tffs, {k} features": result,
        **{_NAMES[name].format(k=k): figures for name, figures in yardsticks},
    }


def _comparison(result: dict[str, Any], k: int) -> list[str]:
    rows = _rows(result, k)
    width = max(map(len, rows))
    lines = [f"{'on its other rows':<{width}}  {'MSRE':>8}  {'error':>6}  {'ARI %':>6}  {'NMI %':>6}"]
    for name, figures in rows.items():
        error = _percent(figures["relative_error"])
        lines.append(f"{name:<{width}}  {_error(figures['msre'])}  {error}  {_clustering(figures)}")
    lines += [
        "(MSRE, and as a share of the error of answering the source tasks' mean: lower is better; every",
        " choice has a decoder of its own, trained in the same way)",
    ]
    own = math.inf if result["msre"] is None else result["msre"]
    errors = {name: figures["msre"] for name, figures in rows.items()}
    better = [name for name, error in errors.items() if error is not None and error < own]
    return lines + _verdict(better, "reconstruct")


def _accuracies(result: dict[str, Any], k: int) -> list[str]:
    rows = _rows(result, k)
    width = max(map(len, rows))
    lines = [f"{'on its other rows':<{width}}  {'accuracy':>8}  {'ARI %':>6}  {'NMI %':>6}"]
    lines += [
        f"{name:<{width}}  {figures['accuracy']:6.1f} %  {_clustering(figures)}"
        for name, figures in rows.items()
    ]
    lines += [
        f"(of {len(result['classes'])} classes; always answering the source tasks' commonest class gives "
        f"{result['chance']:.1f} %; every choice has",
        " a classifier of its own, trained in the same way)",
    ]
    chosen = {name: figures for name, figures in rows.items() if name != _NAMES["all"]}
    better = [name for name, figures in chosen.items() if figures["accuracy"] > result["accuracy"]]
    return lines + _verdict(better, "classify")


def _verdict(better: list[str], do: str) -> list[str]:
    """Say so where a yardstick with as many features does better."""
    if not better:
        return []
    return [
        "",
        f"Here {' and '.join(better)} {do} better than what tffs chose, so this model is",
        "not worth using as it is: try --scaling=standard, more --steps, another --num_selected,",
        "or more source tasks.",
    ]


def _clustering(figures: dict[str, Any]) -> str:
    return "  ".join(
        "     -" if figures[metric] is None else f"{figures[metric]:6.1f}" for metric in ("ari", "nmi")
    )


def _error(msre: float | None) -> str:
    return "       -" if msre is None else f"{msre:8.4g}"  # one that is not finite is not written


def _percent(share: float | None) -> str:
    return "     -" if share is None else f"{100.0 * share:4.1f} %"


def _files(workdir: Workdir) -> list[str]:
    python = min(sys.executable, os.path.relpath(sys.executable), key=len)
    what = {
        "result.json": "these figures",
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
            "Serve it (docs/serving.md):",
            f"  {python} -m tffs.main --mode=serve --model_base_path={shlex.quote(workdir.exports)}",
        ]
    return lines
