"""Section 5: how stable the choice is over supports and tasks."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tffs.report.subject import Subject
from tffs.report.wording import listed, many, share

ALWAYS = 0.9  # of the tasks
SHOWN = 30


class Swap(NamedTuple):
    """Two features that are chosen in each other's place."""

    feature: str
    other: str
    only_feature: str
    only_other: str
    both: str


class Stability(NamedTuple):
    """The section.

    Attributes:
        sentences: for each number of features of the page.
        always: features that are chosen for nearly all tasks, in words.
        sometimes: features that are chosen for some.
        swaps: pairs that are chosen in each other's place.
    """

    sentences: list[str]
    always: str
    sometimes: str
    swaps: list[Swap]


def stability(subject: Subject) -> Stability | None:
    """Put the section together; None where nothing was measured on tasks left out."""
    result = subject.result or {}
    found = result.get("stability")
    if not found:
        return None
    often = [
        (line["feature"], line["chosen"])
        for line in sorted(result["features"], key=lambda line: -line["chosen"])
        if line["chosen"] > 0.0
    ]
    several = len(result["tasks"]) > 1
    always = [name for name, how_often in often if how_often >= ALWAYS] if several else []
    sometimes = [f"{name} ({share(how_often)})" for name, how_often in often if how_often < ALWAYS]
    swaps = [
        Swap(
            pair["feature"],
            pair["other"],
            *(share(pair[part]) for part in ("only_feature", "only_other", "both")),
        )
        for pair in result.get("swaps") or ()
    ]
    return Stability(
        _sentences(subject, found),
        listed(always, SHOWN) if several else "",
        listed(sometimes, SHOWN) if several else "",
        swaps,
    )


def _sentences(subject: Subject, found: Mapping[str, Any]) -> list[str]:
    result = subject.result
    assert result is not None
    measured = result.get("by_count") or {"counts": [], "stability": []}
    over_tasks = dict(zip(measured["counts"], measured["stability"], strict=True))
    over_tasks.setdefault(result["num_selected"], found["tasks"])
    told = []
    for count in subject.counts:
        parts = []
        if over_tasks.get(count) is not None:
            parts.append(f"{_kept(over_tasks[count], count)} for another task")
        if count == result["num_selected"] and found["supports"] is not None:
            parts.append(f"{_kept(found['supports'], count)} with other rows of the same task")
        said = " and ".join(parts)
        told.append(
            f"Of {many(count, 'chosen feature')}, on average this many stay the same: {said}." if said else ""
        )
    return told


def _kept(jaccard: float, count: int) -> str:
    """Say how many of `count` features two choices share, from their Jaccard index."""
    return f"{2.0 * count * jaccard / (1.0 + jaccard):.1f}"
