"""What the layers' constructors share: a seed for every weight, derived from one, and checks of arguments."""

import operator
from collections.abc import Sequence

import keras
import numpy as np


def child_seeds(seed: int | None, count: int) -> list[int | None]:
    """Derive independent seeds from one, or as many None from None."""
    if seed is None:
        return [None] * count
    return [int(state) for state in np.random.SeedSequence(seed).generate_state(count)]


def seeded(initializer: keras.initializers.Initializer, seed: int | None) -> keras.initializers.Initializer:
    """Give a copy of `initializer` that draws from `seed`, unless it has a seed of its own or needs none."""
    config = initializer.get_config()
    if seed is not None and "seed" in config and config["seed"] is None:
        config["seed"] = seed
    return initializer.__class__.from_config(config)


def positive_int(name: str, value: int) -> int:
    """Give `value` back, or say that the layer argument `name` must be a positive integer."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"Expected a positive integer. Received: {name}={value!r}")
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
