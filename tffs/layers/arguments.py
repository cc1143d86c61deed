"""Checks of constructor arguments: a wrong one is named when a layer is made, not when it is first used."""

import math
import numbers
import operator
from collections.abc import Sequence
from typing import Any


def whole_number(value: Any, least: int) -> bool:
    """Say whether `value` is an integer of at least `least`; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def positive_int(name: str, value: int) -> int:
    """Give `value` back, or say that the argument `name` must be a positive integer."""
    if not whole_number(value, 1):
        raise ValueError(f"Expected a positive integer. Received: {name}={value!r}")
    return value


def natural_int(name: str, value: int) -> int:
    """Give `value` back, or say that the argument `name` must be an integer that is not negative."""
    if not whole_number(value, 0):
        raise ValueError(f"Expected 0 or a positive integer. Received: {name}={value!r}")
    return value


def positive_ints(name: str, values: Sequence[int]) -> tuple[int, ...]:
    """Give `values` as a tuple, or say that the argument `name` must be a sequence of positive integers."""
    if not isinstance(values, Sequence) or not all(whole_number(value, 1) for value in values):
        raise ValueError(f"Expected a sequence of positive integers. Received: {name}={values!r}")
    return tuple(values)


def positive_number(name: str, value: float) -> float:
    """Give `value` back, or say that the argument `name` must be a positive, finite number."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not 0 < value < math.inf:
        raise ValueError(f"Expected a positive, finite number. Received: {name}={value!r}")
    return value


def feature_indices(name: str, values: Sequence[int]) -> tuple[int, ...]:
    """Give `values` as a tuple, or say that the argument `name` must list features by their numbers."""
    try:
        features = tuple(operator.index(value) for value in values)
    except TypeError:
        features = ()
    if not features or min(features) < 0:
        raise ValueError(f"Expected at least one feature, by number from 0. Received: {name}={values!r}")
    return features
