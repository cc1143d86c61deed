"""A person's own list of features, judged beside what tffs would choose."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from tffs.errors import UserError, listed
from tffs.estimator.choice import Limits
from tffs.printable import percent
from tffs.serving.front_door import FrontDoor
from tffs.serving.model_version import same_version

NEXT = 3  # features that are named as worth adding
CLOSE = 0.01  # of the error; a smaller difference is none


class Assessment(NamedTuple):
    """Two choices of as many features, each in the order of what is best measured first.

    Attributes:
        yours: the features that were asked about, as `FrontDoor.rank` gives them.
        tffs: as many of tffs's own choice.
        next: what would be gained most by beside yours.
        verdict: how they compare, in a sentence.
    """

    yours: pd.DataFrame
    tffs: pd.DataFrame
    next: pd.DataFrame
    verdict: str


def assess(
    door: FrontDoor, rows: Any, features: Sequence[str] | str, limits: Limits, called: str = "features"
) -> Assessment:
    """Judge features.

    Args:
        door: the model.
        rows: of the task, or None.
        features: their names.
        limits: what tffs's own choice may not measure, and what is measured anyway.
        called: what the person calls them.
    """
    features = [features] if isinstance(features, str) else list(map(str, features))
    _check(features, door.describe().feature_names, called)
    others = dataclasses.replace(limits, include=(), exclude=set(limits.exclude) - set(features))
    with_yours = door.rank(rows, include=features, exclude=others.exclude)
    ranked = door.rank(rows, **limits.arguments())
    same_version([frame.attrs["version"] for frame in (with_yours, ranked)])
    number = len(features)
    yours, ours = with_yours.head(number), ranked.head(number)
    return Assessment(yours, ours, with_yours[number : number + NEXT], _verdict(yours, ours))


def _check(features: Sequence[str], known: Sequence[str], called: str) -> None:
    if not features:
        raise UserError(f"{called} names none: give at least one.")
    unknown = [name for name in features if name not in known]
    if unknown:
        raise UserError(
            f"{called} names {listed(unknown)}, which the model does not know: its features are "
            f"{listed(known)}."
        )
    twice = [name for name, count in Counter(features).items() if count > 1]
    if twice:
        raise UserError(f"{called} names {listed(twice)} more than once: name each feature once.")


def _verdict(yours: pd.DataFrame, ours: pd.DataFrame) -> str:
    """Say in a sentence how the choices compare."""
    left, own = float(yours["expected_error"].iloc[-1]), float(ours["expected_error"].iloc[-1])
    if set(yours["feature"]) == set(ours["feature"]):
        return f"Your features are those that tffs would choose: {percent(own)} of the error is left."
    both = (
        f"Yours leave {percent(left)} of the error, the {len(ours)} that tffs would choose leave {percent(own)}"
    )
    points = f"{100 * abs(left - own):.1f} points"
    if left - own > CLOSE:
        return f"{both}, {points} less."
    if own - left > CLOSE:
        return f"{both}: yours are {points} better, because tffs takes one feature after the other."
    return f"{both}: they are about as good."
