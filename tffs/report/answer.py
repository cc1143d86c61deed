"""Section 1: the features to measure, and how much of the error is left with them."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from tffs.evaluation.result import LEFT_OUT
from tffs.report.stand_ins import Part, parts
from tffs.report.subject import Subject
from tffs.report.wording import known_rows, listed, many, share

MANY_TASKS = 10  # of fewer, percentiles say little
MOST_LISTED = 55  # features in the table, unless more are to be measured


class Line(NamedTuple):
    """A feature to measure.

    Attributes:
        place: 1 for the first.
        feature: its name.
        adds: by how much the expected error falls.
        left: the expected error after it.
        without: the expected error if it alone is left out; empty if that is not known.
        stands_for: what the model infers from it, in words; empty if nothing is known of that.
        cost: of measuring it; empty if there are no costs.
    """

    place: int
    feature: str
    adds: str
    left: str
    without: str
    stands_for: str
    cost: str


class Answer(NamedTuple):
    """What to measure.

    Attributes:
        lines: the features, also those after the chosen number.
        none: the expected error with nothing measured.
        has: which columns there are: "adds", "without", "cost".
        sentences: for each number of features of the page, how much is left and how sure that is.
        remarks: which of the chosen number could be others, and which are unusual.
    """

    lines: list[Line]
    none: str
    has: frozenset[str]
    sentences: list[str]
    remarks: list[str]


def answer(subject: Subject) -> Answer | None:
    """Put the section together; None where the model answers only for a task with rows."""
    chosen = subject.chosen
    if chosen is None:
        return None
    known = parts(subject)
    most = max(subject.counts[-1], subject.number) if subject.ranks else len(chosen)
    listed_ones = chosen.head(max(min(most, MOST_LISTED), subject.number)).to_dict("records")
    lines = [
        _line(place, values, known.get(values["feature"]), subject)
        for place, values in enumerate(listed_ones, start=1)
    ]
    has = {"adds"} if subject.ranks else set()
    has |= {"without"} if known else set()
    has |= {"cost"} if "cost" in chosen else set()
    none = share(chosen.attrs["expected_error_of_none"]) if subject.ranks else ""
    sentences = [_sentence(subject, count) for count in subject.counts]
    return Answer(lines, none, frozenset(has), sentences, _remarks(subject))


def _line(place: int, values: Mapping[Any, Any], part: Part | None, subject: Subject) -> Line:
    cost = f"{values['cost']:g}" if "cost" in values else ""
    adds, left = ("", "")
    if subject.ranks:
        adds, left = share(values["score"]), share(values["expected_error"])
    without, stands_for = "", ""
    if part is not None:
        without = share(part.without)
        stands_for = listed(
            [
                f"{name} (known to {100.0 * (1.0 - known):.0f} %, without it to {100.0 * (1.0 - lost):.0f} %)"
                for name, known, lost in part.known_by
            ]
        )
        stands_for = stands_for if part.known_by else ""
    return Line(place, values["feature"], adds, left, without, stands_for, cost)


def _sentence(subject: Subject, count: int) -> str:
    """Say how much of the error is left with so many features, and how sure that is."""
    told, expected = [], None
    if subject.ranks:
        assert subject.chosen is not None
        expected = float(subject.chosen["expected_error"].iloc[count - 1])
        known = known_rows(_rows(subject))
        told.append(
            f"Measure {'this' if count == 1 else 'these'} {many(count, 'feature')}. The model then expects "
            f"{share(expected)} of the error to be left on a new task of which {known}"
            f"{_typical(subject, expected)}."
        )
    point = measured_at(subject, count)
    if point is not None:
        told += _checked(subject, point, expected)
    elif subject.result and subject.result.get("relative_error") is not None and count == subject.number:
        told.append(
            f"On rows that training never saw, {share(subject.result['relative_error'])} of the error was left."
        )
    elif subject.result and subject.result.get("accuracy") is not None:
        told.append(
            f"Of rows that training never saw, {subject.result['accuracy']:.1f} % got the right class; always "
            f"answering the commonest class gets {subject.result['chance']:.1f} % right."
        )
    else:
        told.append("Nothing was measured for this number of features.")
    return " ".join(told)


def _typical(subject: Subject, error: float) -> str:
    """Say what a share of the squared error means for a value, where features are in units of their spread."""
    if subject.description.scaling != "standard":
        return ""
    return f": a typical error of {100.0 * math.sqrt(max(error, 0.0)):.0f} % of a feature's usual spread"


def _checked(subject: Subject, point: Mapping[str, Any], expected: float | None) -> list[str]:
    """Say what was measured on tasks that the model had not seen."""
    result = subject.result
    assert result is not None
    if result["evaluated_on"] != LEFT_OUT:
        return [
            f"On the other rows of task {result['target_task']}, which training never saw, "
            f"{share(point['measured'])} was left."
        ]
    tasks, rows = many(len(result["tasks"]), "task"), many(result["support_size"], "row")
    low, high = point.get("measured_low"), point.get("measured_high")
    if _rows(subject) or point.get("nothing_known") is None:
        told = [
            f"The model was checked on {tasks} that it had not seen, with {rows} of each known and features "
            f"chosen for each. The median task had {share(point['measured'])} of the error left"
            f"{_spread(subject, low, high)}."
        ]
    else:
        told = [
            f"The model was checked on {tasks} that it had not seen. With nothing known of them, the median "
            f"task had {share(point['nothing_known'])} of the error left"
            f"{_spread(subject, point['nothing_known_low'], point['nothing_known_high'])}{_greedy(point)}. "
            f"With {rows} of each known and features chosen for each, it had {share(point['measured'])}"
            f"{_spread(subject, low, high)}."
        ]
        low = point["nothing_known_low"]
    if subject.limited:
        told.append("There, everything could be measured.")
    if expected is not None and low is not None and expected < low and len(result["tasks"]) >= MANY_TASKS:
        told.append("Fewer than 1 in 10 of them had as little as is expected here: do not count on it.")
    return told


def _greedy(point: Mapping[str, Any]) -> str:
    """Set the strongest simple method beside what is chosen with nothing known."""
    left = point["yardsticks"].get("greedy")
    return "" if left is None else f"; as many features chosen greedily left {share(left)}"


def _spread(subject: Subject, low: float | None, high: float | None) -> str:
    """Say between which errors most tasks lie; percentiles of few tasks would say little."""
    few = len((subject.result or {})["tasks"]) < MANY_TASKS
    return "" if low is None or few else f", and 8 in 10 tasks between {share(low)} and {share(high)}"


def _remarks(subject: Subject) -> list[str]:
    """Say which chosen features could be others, and which choices are unusual."""
    result = subject.result or {}
    assert subject.chosen is not None
    chosen = subject.chosen["feature"].head(subject.number).tolist()
    told = []
    for pair in result.get("swaps") or ():
        inside = [name for name in (pair["feature"], pair["other"]) if name in chosen]
        if len(inside) == 1:
            other = pair["other"] if inside[0] == pair["feature"] else pair["feature"]
            told.append(f"{inside[0]} and {other} take each other's place: one of them is enough.")
    tasks = len(result.get("tasks") or ())
    often = {line["feature"]: line["chosen"] for line in result.get("features") or ()}
    rare = [name for name in chosen if often.get(name) == 0.0]
    if rare and tasks > 1 and result["num_selected"] >= subject.number:
        told.append(f"An unusual choice, made for none of the {tasks} tasks left out: {listed(rare)}.")
    return told


def measured_at(subject: Subject, count: int) -> Mapping[str, Any] | None:
    """Find what was measured on unseen tasks with so many features."""
    curve = (subject.result or {}).get("curve") or ()
    return next((point for point in curve if point["num_selected"] == count), None)


def _rows(subject: Subject) -> int:
    return 0 if subject.support is None else len(subject.support)
