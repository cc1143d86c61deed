"""Seeds for weights: every weight of a model gets its own, derived from one."""

import keras
import numpy as np

from tffs.layers.arguments import whole_number


def child_seeds(seed: int | None, count: int) -> list[int | None]:
    """Derive independent seeds from one, or as many None from None."""
    if seed is None:
        return [None] * count
    if not whole_number(seed, 0):
        raise ValueError(f"Expected None, 0 or a positive integer. Received: seed={seed!r}")
    return [int(state) for state in np.random.SeedSequence(seed).generate_state(count)]


def seeded(initializer: keras.initializers.Initializer, seed: int | None) -> keras.initializers.Initializer:
    """Give a copy of `initializer` that draws from `seed`, unless it has a seed of its own or needs none."""
    config = initializer.get_config()
    if seed is not None and "seed" in config and config["seed"] is None:
        config["seed"] = seed
    return initializer.__class__.from_config(config)
