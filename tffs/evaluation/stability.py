"""How stable a selection is."""

import itertools
from collections.abc import Hashable, Iterable, Sequence

import numpy as np


def mean_jaccard(selections: Sequence[Iterable[Hashable]]) -> float | None:
    """Give the mean Jaccard index (shared over all features) of every pair of selections, as sets.

    Returns:
        Between 0 and 1, or None for fewer than two selections.
    """
    sets = [set(selection) for selection in selections]
    pairs = [
        len(one & other) / len(one | other) if one | other else 1.0
        for one, other in itertools.combinations(sets, 2)
    ]
    return float(np.mean(pairs)) if pairs else None
