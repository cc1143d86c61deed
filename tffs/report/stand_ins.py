"""What a measured feature is there for: what the model infers from it, and how much worse it gets without."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tffs.report.subject import Subject

MOST_EXPLAINED = 10  # features; to ask for one takes as long as a ranking
MOST_RANKED = 5000  # features that are ranked again and again
NAMED = 3  # features that one stands in for
LEAST_RISE = 0.05  # of a feature's variance, to be named
LEAST_FACTOR = 1.5  # by which what is unknown of it grows
INTERVAL = 0.9
MOST_ROWS = 8  # of the support at which the model is asked how sure it is


class Part(NamedTuple):
    """What one feature does among those that are measured.

    Attributes:
        without: the expected error if it alone is left out; None where that would take too long to say.
        known_by: the features that are known less without it: name, and the share of its variance that is left
            with it and without it.
    """

    without: float | None
    known_by: list[tuple[str, float, float]]


def parts(subject: Subject) -> dict[str, Part]:
    """Say what each measured feature is there for, by its name; of many, the first ones."""
    door, chosen = subject.door, subject.chosen
    if door is None or chosen is None or not subject.ranks or subject.description.source_stddev is None:
        return {}
    measured = chosen["feature"].head(subject.number).tolist()
    explained = measured[:MOST_EXPLAINED]
    others = [[name for name in measured if name != left_out] for left_out in explained]
    left = shares_left(subject, [measured, *others])
    names = subject.description.feature_names
    found = {}
    for name, rest, without in zip(explained, others, left[1:], strict=True):
        rise = without - left[0]
        order = [place for place in np.argsort(-rise, kind="stable") if names[place] != name][:NAMED]
        found[name] = Part(
            _expected(subject, rest) if len(names) <= MOST_RANKED else None,
            [
                (names[place], *(min(float(one[place]), 1.0) for one in (left[0], without)))
                for place in order
                if rise[place] > LEAST_RISE and without[place] > LEAST_FACTOR * left[0][place]
            ],
        )
    return found


def shares_left(subject: Subject, measured: Sequence[Sequence[str]]) -> np.ndarray:
    """Give which share of each feature's variance is left, by the model, for lists of measured features.

    The model is asked at the rows of the support, or at the source tasks' mean where there are none.

    Returns:
        [lists, features]; above 1 where the model is less sure than the source tasks vary.
    """
    description, door = subject.description, subject.door
    assert door is not None
    assert description.source_stddev is not None
    assert description.source_mean is not None
    assert description.intervals is not None
    names = list(description.feature_names)
    points = np.asarray([description.source_mean], np.float64)
    if subject.support is not None and len(subject.support):
        given = subject.support[names].to_numpy(np.float64)[:MOST_ROWS]
        points = np.where(np.isnan(given), points, given)
    values = np.full((len(measured), *points.shape), np.nan)
    for place, some in enumerate(measured):
        columns = [names.index(name) for name in some]
        values[place][:, columns] = points[:, columns]
    flat = pd.DataFrame(values.reshape(-1, len(names)), columns=names)
    answer = door.reconstruct(subject.support, flat, interval=INTERVAL)
    reach = (answer.high - answer.low).to_numpy(np.float64) / 2.0
    variance = np.square(reach / description.intervals[str(INTERVAL)]).reshape(values.shape).mean(axis=1)
    source = np.square(np.asarray(description.source_stddev, np.float64))
    return np.divide(variance, source, out=np.zeros_like(variance), where=source > 0.0)


def _expected(subject: Subject, measured: Sequence[str]) -> float:
    """Give the expected error with just these features."""
    assert subject.door is not None
    assert subject.chosen is not None
    if not measured:
        return float(subject.chosen.attrs["expected_error_of_none"])
    wanted = set(measured)
    others = [name for name in subject.description.feature_names if name not in wanted]
    ranked = subject.door.rank(subject.support, include=measured, exclude=others)
    return float(ranked["expected_error"].iloc[-1])
