"""The greedy choice of features for questions, in NumPy, as `tffs.selection.greedy` makes it without limits."""

from typing import Protocol

import numpy as np

from tffs.posterior.belief import Belief, DenseKnown, FactoredKnown
from tffs.selection.greedy import TINY


def pick(belief: Belief, weights: np.ndarray, ridge: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Choose features one after the other.

    Args:
        belief: what is known of the tasks.
        weights: w, [features], how much an error of each feature counts.
        ridge: eps, the variance of a measurement as a share of the feature's variance.
        steps: how many to choose, at most as many as there are features.

    Returns:
        The features, int [questions, steps], and the error that is left without any, with the first, ...:
        [questions, steps + 1].
    """
    weights = weights.astype(belief.mean.dtype)
    left: _Left = (
        _DenseLeft(belief.known, belief, steps)
        if isinstance(belief.known, DenseKnown)
        else _FactoredLeft(belief.known, belief, weights)
    )
    variances = belief.before + np.square(belief.about).sum(axis=1)
    noise = ridge * variances + TINY
    squares = left.squares(weights, variances)
    errors = [variances @ weights]
    closed = np.zeros(variances.shape, bool)
    questions = np.arange(len(variances))
    chosen = np.zeros((len(variances), steps), int)
    for step in range(steps):
        denominators = variances + noise
        gains = (squares + weights * noise * variances) / denominators
        # Rounded, so that features that are equal are taken in order.
        best = np.where(closed, -np.inf, gains.astype(np.float32)).argmax(axis=1)
        closed[questions, best] = True
        denominator = denominators[questions, best, None]
        column, across, total = left.measure(best, 1.0 / np.sqrt(denominator), np.where(closed, 0.0, weights))
        squares += column * (column * (total - weights[best, None] * denominator) - 2.0 * across)
        variances = variances - np.square(column)
        chosen[:, step] = best
        errors.append(np.maximum(errors[-1] - gains[questions, best], 0.0))
    return chosen, np.stack(errors, axis=1)


class _Left(Protocol):
    """R, the covariance of what is not measured given what is."""

    def squares(self, weights: np.ndarray, variances: np.ndarray) -> np.ndarray:
        """Give sum_m w_m C_mj^2 before anything is measured, of C_jj [questions, features]: the same shape."""

    def measure(
        self, best: np.ndarray, root: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Measure a feature of each question.

        Args:
            best: j, [questions].
            root: 1 / sqrt(R_jj + its noise), [questions, 1].
            weights: w of what is not measured now, [questions, features].

        Returns:
            v = R_:j root, R (w v), each [questions, features], and sum_m w_m v_m^2, [questions, 1]. R is then
            R - v v^T.
        """


class _DenseLeft:
    """R = C - V^T V."""

    def __init__(self, known: DenseKnown, belief: Belief, steps: int) -> None:
        about, features = belief.about, np.arange(belief.about.shape[2])
        self._matrix = known.matrices[known.kinds]
        self._matrix += about.transpose(0, 2, 1) @ about
        self._matrix[:, features, features] += belief.alone
        self._taken = np.zeros((len(about), steps, about.shape[2]))  # V
        self._count = 0

    def squares(self, weights: np.ndarray, variances: np.ndarray) -> np.ndarray:
        return weights @ np.square(self._matrix)

    def measure(
        self, best: np.ndarray, root: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        questions, taken = np.arange(len(best)), self._taken[:, : self._count]
        before = taken[questions, :, best]
        column = root * (self._matrix[questions, best] - (before[:, None] @ taken)[:, 0])
        weighted = (weights * column)[:, None]
        across = weighted @ self._matrix - (weighted @ taken.transpose(0, 2, 1)) @ taken
        self._taken[:, self._count] = column
        self._count += 1
        return column, across[:, 0], (weighted[:, 0] * column).sum(axis=1, keepdims=True)


class _FactoredLeft:
    """R = G A G^T + diag(d) among the features that are not measured, where G is F beside the support rows.

    Sums over all features are kept in the few dimensions of G: theta = G^T diag(w) G over these features.
    """

    def __init__(self, known: FactoredKnown, belief: Belief, weights: np.ndarray) -> None:
        about = belief.about
        self._factor, self._about, self._weights = known.factor, about, weights
        self._diagonal = known.diagonals[known.kinds] + belief.alone
        rank, rows = known.factor.shape[1], about.shape[1]
        shape = (len(about), rank + rows, rank + rows)
        self._core, self._theta = np.zeros(shape, about.dtype), np.zeros(shape, about.dtype)
        self._core[:, :rank, :rank] = known.cores[known.kinds]
        self._core[:, rank:, rank:] = np.eye(rows)
        weighted = about * weights
        self._theta[:, :rank, :rank] = known.factor.T @ (weights[:, None] * known.factor)
        self._theta[:, rank:, :rank] = weighted @ known.factor
        self._theta[:, :rank, rank:] = self._theta[:, rank:, :rank].transpose(0, 2, 1)
        self._theta[:, rank:, rank:] = weighted @ about.transpose(0, 2, 1)

    def squares(self, weights: np.ndarray, variances: np.ndarray) -> np.ndarray:
        found = []
        for core, theta, about in zip(self._core, self._theta, self._about, strict=True):
            rows = np.concatenate([self._factor, about.T], axis=1)
            found.append(np.einsum("mr,mr->m", rows @ (core @ theta @ core), rows))
        return np.stack(found) + weights * self._diagonal * (2.0 * variances - self._diagonal)

    def measure(
        self, best: np.ndarray, root: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        questions = np.arange(len(best))
        row = np.concatenate([self._factor[best], self._about[questions, :, best]], axis=1)[:, None]
        self._theta -= (self._weights[best, None, None] * row).transpose(0, 2, 1) @ row
        taken = root[:, None] * (row @ self._core)
        seen = taken @ self._theta
        column, across = self._of_features(np.concatenate([taken, seen @ self._core], axis=1))
        column[questions, best] += self._diagonal[questions, best] * root[:, 0]
        self._core -= taken.transpose(0, 2, 1) @ taken
        return column, across + self._diagonal * weights * column, (seen * taken).sum(axis=2)

    def _of_features(self, both: np.ndarray) -> np.ndarray:
        """Give G times two vectors of each question, [questions, 2, rank]: [2, questions, features]."""
        rank = self._factor.shape[1]
        inside = both[..., :rank].transpose(1, 0, 2) @ self._factor.T
        return inside + (both[..., rank:] @ self._about).transpose(1, 0, 2)
