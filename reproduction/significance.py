"""The paired t-test that decides boldface."""

from collections.abc import Sequence

import numpy as np
from scipy import stats

LEVEL = 0.05
SAME = 1e-12  # differences that vary less than this share of the values are equal up to rounding


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
    if a.size < 2:
        return 1.0
    differences = a - b
    rounding = SAME * max(float(np.abs(a).max()), float(np.abs(b).max()))
    if float(np.ptp(differences)) <= rounding:
        return 1.0 if abs(float(differences.mean())) <= rounding else 0.0
    return float(stats.ttest_rel(a, b).pvalue)


def shown_p(p: float) -> str:
    """Write a p-value."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
