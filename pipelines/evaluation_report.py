"""What an evaluation leaves for people: a table and a picture of the held-out tasks."""

from collections.abc import Mapping
from typing import Any

import matplotlib.figure

from pipelines.blessing import Figures
from tffs.evaluation.figures import METRICS


def report(candidate: Figures, last: Figures | None, objections: list[str]) -> str:
    """Write the page of an evaluation."""
    verdict = "Not blessed: " + "; ".join(objections) + "." if objections else "Blessed."
    lines = ["# Held-out tasks", "", verdict, ""]
    for title, figures in (("This model", candidate), ("The model last blessed", last)):
        if figures is None:
            continue
        metrics = [metric for name, metric in METRICS.items() if _measured(name, *figures.values())]
        rows = [["task", "rows", *(metric.title for metric in metrics)], ["---"] * (2 + len(metrics))]
        rows += [
            [task, str(found["rows"]), *(metric.shown(found.get(metric.name)) for metric in metrics)]
            for task, found in figures.items()
        ]
        lines += [f"## {title}", "", *(f"| {' | '.join(row)} |" for row in rows)]
        lines.append("")
    return "\n".join(lines)


def in_words(figures: Mapping[str, Any]) -> str:
    """Write the figures of a model on one task in a line."""
    shown = [metric for name, metric in METRICS.items() if metric.in_table and _measured(name, figures)]
    return ", ".join(f"{metric.title} {metric.shown(figures[metric.name])}" for metric in shown)


def _measured(metric: str, *figures: Mapping[str, Any]) -> bool:
    return any(found.get(metric) is not None for found in figures)


def draw(path: str, candidate: Figures, last: Figures | None) -> None:
    """Draw the error on each task as a share of the mean's error, beside that of the model last blessed."""
    tasks = list(candidate)
    figure = matplotlib.figure.Figure(figsize=(6, 1.2 + 0.4 * len(tasks)), layout="constrained")
    axes = figure.subplots()
    models: dict[str, Figures] = {"this model": candidate, **({"last blessed": last} if last else {})}
    height = 0.8 / len(models)
    for number, (name, figures) in enumerate(models.items()):
        errors = [figures[task]["relative_error"] or 0.0 for task in tasks]
        axes.barh([place + number * height for place in range(len(tasks))], errors, height, label=name)
    axes.axvline(1.0, color="black", linewidth=1, linestyle=":")
    axes.set_yticks([place + (len(models) - 1) * height / 2 for place in range(len(tasks))], tasks)
    axes.invert_yaxis()
    axes.set_xlabel("error as a share of answering the source tasks' mean (lower is better)")
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120)
