"""Swap chosen features for others as long as the expected error falls: what a nested choice costs."""

import numpy as np


def swapped(covariance: np.ndarray, weights: np.ndarray, ridge: float, chosen: np.ndarray) -> np.ndarray:
    """Make the swap that lets the expected error fall most, until none does.

    Args:
        covariance: C, [features, features].
        weights: [features], how much an error of each feature counts.
        ridge: the variance of a measurement as a share of the feature's variance.
        chosen: int [K], the features to begin with.
    """
    noise = ridge * np.diag(covariance)
    features, least = list(map(int, chosen)), np.inf
    while True:
        errors, places = [], range(len(features))
        for place in places:
            rest = features[:place] + features[place + 1 :]
            errors.append(_with_one_more(covariance, weights, noise, rest))
        place, new = np.unravel_index(np.argmin(errors), (len(features), len(covariance)))
        if errors[place][new] >= least * (1.0 - 1e-6):
            return np.array(features)
        features[place], least = int(new), errors[place][new]


def _with_one_more(
    covariance: np.ndarray, weights: np.ndarray, noise: np.ndarray, measured: list[int]
) -> np.ndarray:
    """Give the expected error on all others if a feature is measured as well, for each feature."""
    block = covariance[np.ix_(measured, measured)] + np.diag(noise[measured])
    left = covariance - covariance[:, measured] @ np.linalg.solve(block, covariance[measured])
    weights = weights.copy()
    weights[measured] = 0.0
    variances = np.diag(left)
    others = weights @ np.square(left) - weights * np.square(variances)
    errors = weights @ variances - weights * variances - others / (variances + noise)
    errors[measured] = np.inf
    return errors
