"""Which features stand in for each other: where one is chosen, the other is not."""

from collections.abc import Sequence
from typing import Any

import numpy as np

MOST_COMPARED = 300  # features, those first that are chosen about half of the time
LISTED = 10
LEAST_SHARE = 0.1  # of the choices for each of the two
MORE_THAN_CHANCE = 0.05  # of the choices


def swaps(choices: Sequence[Sequence[int]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Find pairs of features of which choices take just one, more often than by chance.

    Args:
        choices: features, for many supports.
        names: of all features.

    Returns:
        The clearest pairs first: `feature`, `other`, and the shares of choices that take only the first
        (`only_feature`), only the second (`only_other`), and `both`.
    """
    taken = np.zeros((len(choices), len(names)), bool)
    for place, chosen in enumerate(choices):
        taken[place, list(chosen)] = True
    often = taken.mean(axis=0)
    varies = np.flatnonzero((often > 0.0) & (often < 1.0))
    varies = varies[np.argsort(np.abs(often[varies] - 0.5), kind="stable")][:MOST_COMPARED]
    if len(varies) < 2:
        return []
    present = taken[:, varies].astype(np.float64)
    both = present.T @ present / len(choices)
    alone = often[varies][:, None] - both  # [feature, other]: only the feature
    exclusive = alone + alone.T
    by_chance = np.outer(often[varies], 1.0 - often[varies])
    excess = np.triu(exclusive - (by_chance + by_chance.T), k=1)
    each = np.minimum(alone, alone.T) >= LEAST_SHARE
    pairs = np.argwhere((excess > MORE_THAN_CHANCE) & each & (exclusive > 2.0 * both))
    pairs = pairs[np.argsort(-excess[tuple(pairs.T)], kind="stable")][:LISTED]
    found = []
    for one, other in pairs:
        first, second = (one, other) if alone[one, other] >= alone[other, one] else (other, one)
        found.append(
            {
                "feature": names[varies[first]],
                "other": names[varies[second]],
                "only_feature": float(alone[first, second]),
                "only_other": float(alone[second, first]),
                "both": float(both[first, second]),
            }
        )
    return found
