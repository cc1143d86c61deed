"""The statistics behind the tables: means, the paired t-test that decides boldface, agreement of selections."""

import itertools
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

SAME = 1e-12  # differences that vary less than this share of the values are one number, but for rounding


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Give the mean and the sample standard deviation (divided by n - 1; NaN for a single value)."""
    mean = float(np.mean(values))
    return mean, float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def standard_error(values: Sequence[float]) -> float:
    """Give the standard error of the mean: the sample standard deviation over the root of n."""
    return mean_and_deviation(values)[1] / math.sqrt(len(values))


def paired_t_test(first: Sequence[float], second: Sequence[float]) -> float:
    """Test whether paired values differ in the mean, two-sided.

    Args:
        first: one value a cell.
        second: the values of the same cells in the same order.

    Returns:
        The p-value; 1.0 with fewer than two pairs or without any difference, 0.0 where all pairs differ by the
        same amount.
    """
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if a.shape != b.shape:
        raise ValueError(f"Expected as many values on both sides. Received: {a.size} and {b.size}")
    if a.size < 2:
        return 1.0
    differences = a - b
    rounding = SAME * max(float(np.abs(a).max()), float(np.abs(b).max()))
    if float(np.ptp(differences)) <= rounding:
        return 1.0 if abs(float(differences.mean())) <= rounding else 0.0
    return float(stats.ttest_rel(a, b).pvalue)


def comparable_to_best(
    values_by_method: Mapping[str, Mapping[Any, float]], lower_is_better: bool, level: float = 0.05
) -> set[str]:
    """Find the methods that a table prints in boldface: the best one and those not significantly worse.

    Args:
        values_by_method: for each method, its value in each cell; only the cells that all methods have count.
        lower_is_better: whether the best mean is the lowest.
        level: of the paired t-test against the best.

    Returns:
        The methods' names; none where the methods have no cell in common.
    """
    shared = (
        set.intersection(*(set(values) for values in values_by_method.values())) if values_by_method else set()
    )
    if not shared:
        return set()
    paired = {method: [values[cell] for cell in shared] for method, values in values_by_method.items()}
    choose = min if lower_is_better else max
    best = choose(paired, key=lambda method: float(np.mean(paired[method])))
    return {method for method, values in paired.items() if paired_t_test(values, paired[best]) >= level}


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
