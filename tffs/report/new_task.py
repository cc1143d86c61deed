"""Section 6: the new task beside the source tasks, and where the model guesses."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tffs.report.stand_ins import shares_left
from tffs.report.subject import Subject
from tffs.report.wording import NONE, amount, known_rows, listed, many, share
from tffs.serving.description import UNUSUAL

UNLIKE, HIGH = 0.8, 0.9  # novelties from which on tasks that are as unusual are told of, and sought
GUESS = 0.5  # of a feature's variance; if more is left, the model guesses
SIDE = 3.0  # standard deviations that a picture of a range reaches to either side
NINETY = 1.645  # standard deviations to either side of a mean, for 90 %
FAR = 3.0  # standard deviations from which on a mean is said to be unusual


class Line(NamedTuple):
    """A feature of the new task.

    Attributes:
        name: of the feature.
        source: the source rows' mean and standard deviation.
        given: the mean of the rows that were given.
        away: how far that is from the source mean, in standard deviations.
        left: which share of its variance stays unknown.
        reach: to either side of what is inferred, how far its 90 % interval reaches in its own unit.
        at: where the mean of the rows is, in percent of the picture; None where there are none.
        rows: where each row is; empty unless rows are shown.
    """

    name: str
    source: str
    given: str
    away: str
    left: str
    reach: str
    at: float | None
    rows: list[float]


class NewTask(NamedTuple):
    """The section.

    Attributes:
        sentences: on how much is known of the task, and how unlike the others it is.
        warning: what should make a person careful; empty if nothing does.
        guesses: for each number of features of the page, where the model guesses.
        lines: a feature each, in the order of the model.
        left: for each number of features, the unknown shares in the order of the lines.
        reach: the same for the intervals.
        values: the rows themselves with the names of their features; None unless they are shown.
    """

    sentences: list[str]
    warning: str
    guesses: list[str]
    lines: list[Line]
    left: list[list[str]]
    reach: list[list[str]]
    values: list[list[str]] | None


def new_task(subject: Subject) -> NewTask | None:
    """Put the section together; None where there is no new task."""
    if subject.task is None or subject.chosen is None:
        return None
    description = subject.description
    names = list(description.feature_names)
    rows = np.zeros((0, len(names))) if subject.support is None else subject.support[names].to_numpy(np.float64)
    left = _left(subject)
    at = subject.counts.index(subject.number)
    mean, spread = (
        np.full(len(names), np.nan) if values is None else np.asarray(values, np.float64)
        for values in (description.source_mean, description.source_stddev)
    )
    own = np.full(len(names), np.nan)
    if len(rows) > 1 or subject.show_rows:  # one row is its own mean
        some = ~np.isnan(rows).all(axis=0)
        own[some] = np.nanmean(rows[:, some], axis=0) if len(rows) else np.nan
    away = np.divide(own - mean, spread, out=np.full(len(names), np.nan), where=spread > 0.0)
    shares, reaches = [], []
    if left is not None:
        shares = [[share(min(float(value), 1.0)) for value in values] for values in left]
        reaches = [[_reach(value, unit) for value, unit in zip(values, spread, strict=True)] for values in left]
    lines = []
    for place, name in enumerate(names):
        known = not np.isnan(mean[place])
        positions = _positions(rows[:, place], mean[place], spread[place]) if subject.show_rows else []
        center = _positions(own[place : place + 1], mean[place], spread[place])
        lines.append(
            Line(
                name,
                f"{amount(mean[place])} ± {amount(spread[place])}" if known else NONE,
                NONE if np.isnan(own[place]) else amount(own[place]),
                NONE if np.isnan(away[place]) else f"{away[place]:+.1f}",
                shares[at][place] if shares else NONE,
                reaches[at][place] if reaches else NONE,
                center[0] if center else None,
                positions,
            )
        )
    novelty = subject.chosen.attrs.get("novelty")
    return NewTask(
        _sentences(subject, len(rows), novelty, [names[place] for place in np.flatnonzero(np.abs(away) > FAR)]),
        "The rows are more unusual than 95 % of the source tasks: the answer may not hold for this task."
        if (novelty or 0.0) >= UNUSUAL
        else "",
        _guesses(subject, left, names),
        lines,
        shares,
        reaches,
        [[f"{value:.6g}" for value in row] for row in rows] if subject.show_rows and len(rows) else None,
    )


def _reach(left: float, spread: float) -> str:
    """Say how far a 90 % interval reaches to either side; nothing of what is measured."""
    return f"± {amount(NINETY * math.sqrt(left) * spread)}" if left > 0.0 else ""


def _left(subject: Subject) -> np.ndarray | None:
    """Give which share of each feature's variance is left, [counts, features]; None where it is not known."""
    if subject.door is None or not subject.ranks or subject.description.source_stddev is None:
        return None
    assert subject.chosen is not None
    order = subject.chosen["feature"].tolist()
    return shares_left(subject, [order[:count] for count in subject.counts])


def _positions(values: np.ndarray, mean: float, spread: float) -> list[float]:
    """Give where values are on a line of some standard deviations around the mean, in percent."""
    if not spread > 0.0:
        return []
    away = np.clip((values[~np.isnan(values)] - mean) / spread, -SIDE, SIDE)
    return [round(float(100.0 * (one + SIDE) / (2.0 * SIDE)), 1) for one in away]


def _sentences(subject: Subject, rows: int, novelty: float | None, far: list[str]) -> list[str]:
    told = []
    if not rows:
        told.append("No rows of the new task were given, so this is what the source tasks say of any task.")
    elif novelty is None:
        told.append(f"Of it, {known_rows(rows)}. How unlike the source tasks it is cannot be said.")
    else:
        told.append(
            f"Of it, {known_rows(rows)}. The novelty is {novelty:.2f}: more unusual than "
            f"{100.0 * novelty:.0f} % of the source tasks. From {UNUSUAL} on, the answer may not hold."
        )
        result = subject.result or {}
        told += _alike(result.get("tasks") or (), novelty, result.get("num_selected", 0))
    if rows == 1 and not subject.show_rows:
        told.append("Its mean is not shown, because it would be the row itself.")
    if far:
        told.append(
            f"Far from the source tasks' means (more than {FAR:.0f} standard deviations): {listed(far)}. Check "
            "the units."
        )
    return told


def _alike(tasks: Sequence[Mapping[str, Any]], novelty: float, number: int) -> list[str]:
    """Say how it went for tasks left out that were as unusual."""
    errors = [
        task["relative_error"]
        for task in tasks
        if (task["novelty"] or 0.0) >= min(novelty, HIGH) and task["relative_error"] is not None
    ]
    if novelty < UNLIKE or len(tasks) < 2 or not errors:
        return []
    return [
        f"Of the tasks left out, {len(errors)} had a novelty of at least {min(novelty, HIGH):.2f}. Of these, "
        f"{share(min(errors))} to {share(max(errors))} of the error was left with {many(number, 'feature')}."
    ]


def _guesses(subject: Subject, left: np.ndarray | None, names: list[str]) -> list[str]:
    if left is None:
        return ["" for _ in subject.counts]
    told = []
    for count, values in zip(subject.counts, left, strict=True):
        order = np.argsort(-values, kind="stable")
        weak = [
            f"{names[place]} ({share(min(float(values[place]), 1.0))} unknown)"
            for place in order
            if values[place] > GUESS
        ]
        told.append(
            f"With {count} measured, more than half stays unknown of {listed(weak)}: there the model guesses."
            if weak
            else f"With {count} measured, the model knows more than half of the variation of every feature."
        )
    return told
