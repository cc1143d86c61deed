"""Greedy column subset selection with NumPy: which feature, once measured, tells most about the others.

This is the choice of `tffs.selection.greedy`, where the formulas are derived, for one covariance and without
TensorFlow. Features are in standard units, so that covariances are correlations.
"""

from typing import NamedTuple

import numpy as np

from tffs.posterior.prior import SHRINK

LONGEST = (
    1024  # features that are ranked one after the other; what follows is ranked by the variance that is left
)


class Correlation(NamedTuple):
    """Correlations C = F F^T + rest I, shrunk towards independent features as a posterior's covariance is.

    Attributes:
        factor: F, [features, rank]; the rank is the number of rows or of features, whichever is less.
        rest: the share of the diagonal.
    """

    factor: np.ndarray
    rest: float

    @classmethod
    def of(cls, rows: np.ndarray) -> "Correlation":
        """Estimate them from rows [rows, features] in standard units."""
        count, features = rows.shape
        rest = SHRINK * features / (features + count)
        rows = rows * np.sqrt((1.0 - rest) / count)
        if count < features:
            return cls(rows.T, rest)
        values, axes = np.linalg.eigh(rows.T @ rows)
        return cls(axes * np.sqrt(np.maximum(values, 0.0)), rest)

    def variances(self) -> np.ndarray:
        """Give the diagonal: [features]."""
        return np.square(self.factor).sum(axis=1) + self.rest

    def gain(self, measured: np.ndarray, ridge: float) -> np.ndarray:
        """Give C_:A (C_AA + eps)^-1, which infers all features from those measured: [features, measured]."""
        columns = self.factor @ self.factor[measured].T
        columns[measured, np.arange(len(measured))] += self.rest
        block = columns[measured]
        block[np.diag_indices_from(block)] *= 1.0 + ridge
        return np.linalg.solve(block, columns.T).T


def greedy_order(correlation: Correlation, weights: np.ndarray, ridge: float) -> tuple[np.ndarray, np.ndarray]:
    """Order all features.

    Args:
        correlation: of the features.
        weights: w, [features], how much an error of each feature counts in standard units.
        ridge: eps, the variance of a measurement as a share of the feature's variance.

    Returns:
        The features, best first, and by how much each lowers the error: int and float64 [features].
    """
    factor, rest = correlation
    variances = correlation.variances()
    noise = ridge * variances
    # What is known of R, the covariance given the features measured so far: R = F core F^T + rest I.
    core = np.eye(factor.shape[1])
    theta = factor.T @ (weights[:, None] * factor)  # F^T diag(w) F over what is not measured
    squares = (factor * (factor @ theta)).sum(axis=1) + weights * rest * (2.0 * variances - rest)
    left = weights.astype(np.float64)  # w of what is not measured
    is_open = np.ones(len(weights), bool)
    order, falls = [], []
    for _ in range(min(len(weights), LONGEST)):
        gains = (squares + weights * noise * variances) / (variances + noise)
        # Single precision, so that rounding does not decide between equals: the first is taken.
        best = int(np.argmax(np.where(is_open, gains.astype(np.float32), -np.inf)))
        order.append(best)
        falls.append(gains[best])
        is_open[best], left[best] = False, 0.0
        denominator = variances[best] + noise[best]
        theta -= weights[best] * np.outer(factor[best], factor[best])
        taken = core @ factor[best] / np.sqrt(denominator)
        spread = theta @ taken
        column, across = np.stack([taken, core @ spread]) @ factor.T
        column[best] += rest / np.sqrt(denominator)
        across += rest * left * column
        squares += column * (column * (taken @ spread - weights[best] * denominator) - 2.0 * across)
        variances -= np.square(column)
        core -= np.outer(taken, taken)
    own = np.maximum(weights * variances, 0.0)
    tail = np.flatnonzero(is_open)
    tail = tail[np.argsort(-own[tail], kind="stable")]
    return np.asarray([*order, *tail]), np.asarray([*np.maximum(falls, 0.0), *own[tail]])
