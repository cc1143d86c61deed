"""Section 1: the features to measure, and how much of the error is left with them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tffs.evaluation.result import LEFT_OUT
from tffs.report.stand_ins import Part, parts
from tffs.report.subject import Subject
from tffs.report.wording import listed, many, share

MOST_LISTED = 55  # features in the table; the curve and the figures below have all


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
    """

    lines: list[Line]
    none: str
    has: frozenset[str]
    sentences: list[str]


def answer(subject: Subject) -> Answer | None:
    """Put the section together; None where the model answers only for a task with rows."""
    chosen = subject.chosen
    if chosen is None:
        return None
    known = parts(subject)
    most = max(subject.counts[-1], subject.number) if subject.ranks else len(chosen)
    lines = [
        _line(place, values, known.get(values["feature"]), subject)
        for place, values in enumerate(chosen.head(min(most, MOST_LISTED)).to_dict("records"), start=1)
    ]
    has = {"adds"} if subject.ranks else set()
    has |= {"without"} if known else set()
    has |= {"cost"} if "cost" in chosen else set()
    none = share(chosen.attrs["expected_error_of_none"]) if subject.ranks else ""
    return Answer(lines, none, frozenset(has), [_sentence(subject, count) for count in subject.counts])


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
                f"{name} ({share(known)} unknown, {share(lost)} without it)"
                for name, known, lost in part.known_by
            ]
        )
        stands_for = stands_for if part.known_by else ""
    return Line(place, values["feature"], adds, left, without, stands_for, cost)


def _sentence(subject: Subject, count: int) -> str:
    """Say how much of the error is left with so many features, and how sure that is."""
    told = []
    if subject.ranks:
        assert subject.chosen is not None
        expected = float(subject.chosen["expected_error"].iloc[count - 1])
        known = "nothing is known of" if not _rows(subject) else f"{many(_rows(subject), 'row')} are known of"
        told.append(
            f"With {many(count, 'feature')} measured, the model expects {share(expected)} of the error to be "
            f"left on a new task that {known}."
        )
    point = measured_at(subject, count)
    if point is not None:
        result = subject.result
        assert result is not None
        if result["evaluated_on"] == LEFT_OUT:
            where = (
                f"This was checked on {many(len(result['tasks']), 'task')} that the model had not seen, with "
                f"{many(result['support_size'], 'row')} of each known: in the middle "
                f"{share(point['measured'])} was left"
            )
            low, high = point.get("measured_low"), point.get("measured_high")
            spread = (
                f", and for 8 in 10 tasks between {share(low)} and {share(high)}" if low is not None else ""
            )
            limits = " There, everything could be measured." if subject.limited else ""
            told.append(f"{where}{spread}.{limits}")
        else:
            told.append(
                f"On the other rows of task {result['target_task']}, which training never saw, "
                f"{share(point['measured'])} was left."
            )
    elif subject.result and subject.result.get("relative_error") is not None and count == subject.number:
        told.append(
            f"On rows that training never saw, {share(subject.result['relative_error'])} of the error was left."
        )
    else:
        told.append("Nothing was measured for this number of features.")
    return " ".join(told)


def measured_at(subject: Subject, count: int) -> Mapping[str, Any] | None:
    """Find what was measured on unseen tasks with so many features."""
    curve = (subject.result or {}).get("curve") or ()
    return next((point for point in curve if point["num_selected"] == count), None)


def _rows(subject: Subject) -> int:
    return 0 if subject.support is None else len(subject.support)
