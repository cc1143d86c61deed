"""What an evaluation leaves for people: the verdict and why, and a table of the tasks."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.blessing import ROUNDING, Compared, Evidence, Figures, Standing
from pipelines.configs import Bars
from tffs.evaluation.figures import METRICS, Metric
from tffs.printable import percent

COVERAGE = Metric("coverage", "coverage", "{:.1f} %", 100.0)
OF_HELD_OUT = (*METRICS.values(), COVERAGE)
OF_LEFT_OUT = (METRICS["relative_error"], COVERAGE)


def reasons(candidate: Evidence, last: Evidence | None, bars: Bars) -> list[str]:
    """Say what decides about a model, one sentence each.

    Args:
        candidate: what was measured of it.
        last: the same of the model last blessed; None where there is none.
        bars: what it must reach.
    """
    standing = Standing.on(candidate.deciding)
    covered = (
        "it gives no intervals, so coverage does not apply"
        if standing.coverage is None
        else f"90 % intervals cover {percent(standing.coverage)} (at least {percent(bars.min_coverage)})"
    )
    found = [
        f"Decided on {candidate.where}: median error {percent(standing.error)} "
        f"(at most {percent(bars.max_relative_error)}); {covered}."
    ]
    compared = [] if last is None else candidate.compared(last)
    found += [_against(one) for one in compared]
    if len(compared) > 1:
        found.append("As these differ, a model is worse than the one last blessed only if it is on both.")
    return found


def _against(one: Compared) -> str:
    now, before = one.now, one.before
    if now.error is None or before.error is None:
        errors = "the mean makes no error, so they cannot be compared"
    else:
        order = "less than" if now.error < before.error else "more than"
        if math.isclose(now.error, before.error, rel_tol=ROUNDING):
            order = "equal to"
        errors = f"median error {percent(now.error)}, {order} that one's {percent(before.error)}"
    if now.coverage is not None and before.coverage is not None:
        covered = f"coverage {percent(now.coverage)}, that one's {percent(before.coverage)}"
    elif now.coverage is not None or before.coverage is not None:
        covered = f"only {'this model' if before.coverage is None else 'that one'} gives intervals"
    else:
        covered = "neither gives intervals"
    return f"Against the model last blessed, on {one.where}: {errors}; {covered}."


def report(
    candidate: Evidence | None, last: Evidence | None, reasons: Sequence[str], objections: Sequence[str]
) -> str:
    """Write the page of an evaluation; there is no candidate if it was not measured."""
    verdict = "Not blessed: " + "; ".join(objections) + "." if objections else "Blessed."
    lines = ["# Evaluation", "", verdict, *(f"\n{reason}" for reason in reasons), ""]
    lines += ["Errors are shares of the error of answering the source tasks' mean.", ""]
    for title, evidence in (("This model", candidate), ("The model last blessed", last)):
        if evidence is None:
            continue
        lines += _table(f"{title} on held-out tasks", evidence.held_out, OF_HELD_OUT)
        if evidence.left_out is not None:
            lines += _table(
                f"{title} on source tasks that were left out in turn", evidence.left_out.tasks, OF_LEFT_OUT
            )
    return "\n".join(lines)


def _table(title: str, figures: Figures, metrics: Sequence[Metric]) -> list[str]:
    """Write the figures of each task, and their medians."""
    shown = [metric for metric in metrics if _measured(metric, *figures.values())]
    rows = [["task", "rows", *(metric.title for metric in shown)], ["---"] * (2 + len(shown))]
    rows += [
        [task, str(found["rows"]), *(metric.shown(found.get(metric.name)) for metric in shown)]
        for task, found in figures.items()
    ]
    standing = Standing.on(figures)
    overall = {"relative_error": standing.error, COVERAGE.name: standing.coverage}
    rows.append(
        [
            "**median** (coverage: mean)",
            "",
            *(metric.shown(overall[metric.name]) if metric.name in overall else "" for metric in shown),
        ]
    )
    return [f"## {title}", "", *(f"| {' | '.join(row)} |" for row in rows), ""]


def in_words(figures: Mapping[str, Any]) -> str:
    """Write the figures of a model on one task in a line."""
    shown = [metric for metric in OF_HELD_OUT if metric.in_table and _measured(metric, figures)]
    return ", ".join(f"{metric.title} {metric.shown(figures[metric.name])}" for metric in shown)


def _measured(metric: Metric, *figures: Mapping[str, Any]) -> bool:
    return any(found.get(metric.name) is not None for found in figures)
