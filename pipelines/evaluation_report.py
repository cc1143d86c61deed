"""What an evaluation leaves for people: a table and a picture of the held-out tasks."""

from typing import Any

import matplotlib.figure

from pipelines.blessing import Figures
from pipelines.episodes import METRICS

_SHOWN = {
    "msre": "MSRE",
    "relative_error": "of the mean's error",
    "distinct": "distinct",
    "ari": "ARI %",
    "nmi": "NMI %",
}


def report(candidate: Figures, last: Figures | None, objections: list[str]) -> str:
    """Write the page of an evaluation."""
    verdict = "Not blessed: " + "; ".join(objections) + "." if objections else "Blessed."
    lines = ["# Held-out tasks", "", verdict, ""]
    for title, figures in (("This model", candidate), ("The model last blessed", last)):
        if figures is None:
            continue
        lines += [f"## {title}", "", "| task | rows | " + " | ".join(_SHOWN.values()) + " |", "|---" * 7 + "|"]
        lines += [
            f"| {task} | {found['rows']} | " + " | ".join(_cell(found[metric]) for metric in METRICS) + " |"
            for task, found in figures.items()
        ]
        lines.append("")
    return "\n".join(lines)


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


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:.4g}"
