"""Section 3: how well each feature is known where it is not measured."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tffs.report.subject import Subject
from tffs.report.wording import NONE, amount, many, share


class Feature(NamedTuple):
    """A line of the table.

    Attributes:
        name: of the feature.
        place: in the answer, 1 for the first; 0 if it may not be measured.
        rmse: the error in its own unit.
        share: of the error of answering its mean.
        coverage: how often its 90 % interval was right.
        chosen: for which share of the tasks it was chosen.
        bar: how long the bar is, in percent.
    """

    name: str
    place: int
    rmse: str
    share: str
    coverage: str
    chosen: str
    bar: float


class Features(NamedTuple):
    """The table, the least known features first.

    Attributes:
        lines: for the chosen number of features.
        by_count: the same for every number of the page, as lists in the order of the lines.
        sentences: for every number of the page, which other number the figures are of, if they are.
    """

    lines: list[Feature]
    by_count: dict[str, list[list[str]]]
    sentences: list[str]


def features(subject: Subject) -> Features | None:
    """Put the section together; None where nothing was measured."""
    found = (subject.result or {}).get("features")
    if not found:
        return None
    places = _places(subject)
    by_count = _by_count(subject, found)
    at = subject.counts.index(subject.number)
    order = sorted(
        range(len(found)),
        key=lambda feature: (
            0 < places.get(found[feature]["feature"], 0) <= subject.number,
            -(by_count["share"][at][feature] or 0.0),
        ),
    )
    tasks = len((subject.result or {})["tasks"])
    wording: dict[str, Callable[[float | None], str]] = {
        "rmse": amount,
        "share": share,
        "coverage": share,
        "chosen": lambda value: NONE if value is None else f"{value * tasks:.0f} of {tasks}",
    }
    shown = {
        part: [[wording[part](values[feature]) for feature in order] for values in by_count[part]]
        for part in wording
    }
    lines = [
        Feature(
            name=found[feature]["feature"],
            place=places.get(found[feature]["feature"], 0),
            rmse=shown["rmse"][at][line],
            share=shown["share"][at][line],
            coverage=shown["coverage"][at][line],
            chosen=shown["chosen"][at][line],
            bar=min(100.0, round(100.0 * (by_count["share"][at][feature] or 0.0), 1)),
        )
        for line, feature in enumerate(order)
    ]
    said = []
    for count in subject.counts:
        near = subject.measured_near(count)
        other = f"This section and the next show what was measured with {many(near, 'feature')}."
        said.append("" if near == count else other)
    return Features(lines, shown, said)


def _places(subject: Subject) -> dict[str, int]:
    if subject.chosen is None:
        return {}
    return {name: place for place, name in reversed(list(enumerate(subject.chosen["feature"], start=1)))}


def _by_count(subject: Subject, found: list[Mapping[str, Any]]) -> dict[str, list[list[float | None]]]:
    """Give the figures [counts][features] of each number of the page, or of the nearest that was measured."""
    assert subject.result is not None
    measured = subject.result.get("by_count") or {"counts": []}
    lines = {}
    for part in ("rmse", "share", "coverage", "chosen"):
        own = [line[part] for line in found]  # for the K of the run
        by_count = dict(
            zip(measured["counts"], measured["features"][part] if measured["counts"] else (), strict=True)
        )
        by_count.setdefault(subject.result["num_selected"], own)
        lines[part] = [by_count[subject.measured_near(count)] for count in subject.counts]
    return lines
