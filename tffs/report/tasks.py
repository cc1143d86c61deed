"""Section 4: for whom it works: every task that was left out, and which sources are special."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tffs.report.subject import Subject
from tffs.report.wording import listed, novelty, share
from tffs.serving.description import UNUSUAL

DOMINATES = 3.0  # times the rows that a task would have if all had as many
BAD_ERROR = 2.0  # times the middle error


class Task(NamedTuple):
    """A line of the table."""

    name: str
    rows: int
    error: str
    expected: str
    beside: str
    novelty: str
    bar: float


class Extreme(NamedTuple):
    """A cell that decides a task's figure."""

    task: str
    row: int
    feature: str
    value: str
    inferred: str
    share: str


class Tasks(NamedTuple):
    """The section.

    Attributes:
        lines: the tasks, the worst first.
        by_count: `error`, `expected` and `beside` for every number of the page, in the order of the lines.
        beside: what the yardstick is called; empty if there is none.
        remarks: on sources that are unlike the others, that dominate, or that do badly.
        extremes: cells of few rows that make most of a task's error.
        sentences: for every number of the page, how it went over all tasks.
    """

    lines: list[Task]
    by_count: dict[str, list[list[str]]]
    beside: str
    remarks: list[str]
    extremes: list[Extreme]
    sentences: list[str]


def tasks(subject: Subject) -> Tasks | None:
    """Put the section together; None where nothing was measured on unseen tasks."""
    result = subject.result or {}
    found: Sequence[Mapping[str, Any]] = result.get("tasks") or ()
    if not found:
        return None
    beside = next(iter(found[0]["yardsticks"]), "")
    figures = _by_count(subject, found, beside)
    at = subject.counts.index(subject.number)
    order = sorted(range(len(found)), key=lambda task: -(figures["error"][at][task] or 0.0))
    shown = {part: [[share(row[task]) for task in order] for row in rows] for part, rows in figures.items()}
    worst = max((error for error in figures["error"][at] if error is not None), default=0.0)
    lines = [
        Task(
            name=found[task]["task"],
            rows=found[task]["rows"],
            error=shown["error"][at][line],
            expected=shown["expected"][at][line],
            beside=shown["beside"][at][line],
            novelty=novelty(found[task]["novelty"]),
            bar=round(100.0 * (figures["error"][at][task] or 0.0) / worst, 1) if worst else 0.0,
        )
        for line, task in enumerate(order)
    ]
    extremes = [
        Extreme(
            cell["task"],
            cell["row"],
            cell["feature"],
            f"{cell['value']:.4g}",
            f"{cell['inferred']:.4g}",
            share(cell["share"]),
        )
        for cell in result.get("extremes") or ()
    ]
    sentences = [
        _sentence(errors, others, beside)
        for errors, others in zip(figures["error"], figures["beside"], strict=True)
    ]
    return Tasks(lines, shown, beside, _remarks(found, result), extremes, sentences)


def _by_count(
    subject: Subject, found: Sequence[Mapping[str, Any]], beside: str
) -> dict[str, list[list[float | None]]]:
    """Give figures [counts][tasks] of each number of the page, or of the nearest that was measured."""
    assert subject.result is not None
    measured = subject.result.get("by_count") or {"counts": []}
    own = {
        "error": [task["relative_error"] for task in found],
        "expected": [task["expected_error"] for task in found],
        "beside": [task["yardsticks"].get(beside) for task in found],
    }
    stored = {"error": "measured", "expected": "expected", "beside": beside}
    lines = {}
    for part, values in own.items():
        by_count: dict[int, list[float | None]] = {}
        if measured["counts"] and stored[part] in measured["tasks"]:
            columns = zip(*measured["tasks"][stored[part]], strict=True)
            by_count = dict(zip(measured["counts"], map(list, columns), strict=True))
        by_count.setdefault(subject.result["num_selected"], values)
        by_count = {count: by_count.get(count, values) for count in {*measured["counts"], *by_count}}
        lines[part] = [by_count[subject.measured_near(count)] for count in subject.counts]
    return lines


def _sentence(errors: Sequence[float | None], others: Sequence[float | None], beside: str) -> str:
    both = [
        (error, other)
        for error, other in zip(errors, others, strict=True)
        if error is not None and other is not None
    ]
    if not both or not beside or not any(error for error, _ in both):
        return ""
    better = sum(error < other for error, other in both)
    return (
        f"For {better} of {len(both)} tasks the error is smaller than with as many features chosen greedily."
        if beside == "greedy"
        else ""
    )


def _remarks(found: Sequence[Mapping[str, Any]], result: Mapping[str, Any]) -> list[str]:
    remarks = []
    novel = [task["task"] for task in found if (task["novelty"] or 0.0) >= UNUSUAL]
    if novel and len(found) > 1:
        remarks.append(
            f"Least like the others (novelty of at least {UNUSUAL}): task {listed(novel)}. What the model "
            "expects of such tasks is less sure."
        )
    errors = sorted(task["relative_error"] for task in found if task["relative_error"] is not None)
    if len(errors) > 2:
        limit = BAD_ERROR * errors[len(errors) // 2]
        bad = [task["task"] for task in found if (task["relative_error"] or 0.0) > limit]
        if bad:
            k = result["num_selected"]
            remarks.append(f"More than twice the median error with {k} features: task {listed(bad)}.")
    rows = result.get("source_rows") or {}
    total = sum(rows.values())
    if len(rows) > 2 and total:
        great = [name for name, count in rows.items() if count * len(rows) > DOMINATES * total]
        if great:
            shares = [f"{name} ({share(rows[name] / total)} of all rows)" for name in great]
            remarks.append(
                f"More than three times as many rows as the average task: {listed(shares)}. What holds within "
                "tasks is learned from these more than from others: check that they are not special."
            )
        else:
            remarks.append(
                f"No task dominates: the largest has {share(max(rows.values()) / total)} of the {total:,} rows."
            )
    return remarks
