"""What supports say of their tasks, in NumPy: m(S) and C(S) as `TaskPrior` gives them, in float64.

A fit asks a few questions of many models. Tracing a model for them would take longer than the answers. Factored
matrices of many features are float32, as in the layer.
"""

import dataclasses
from typing import Any

import numpy as np

from tffs.layers.task_prior import LIMIT, TINY
from tffs.posterior.prior import Prior


@dataclasses.dataclass(frozen=True)
class DenseKnown:
    """C(S) without the support's scatter, as full matrices. It depends on the number of rows alone.

    Attributes:
        matrices: [kinds, features, features], for each number of rows.
        kinds: int [questions], which of them belongs to each question.
    """

    matrices: np.ndarray
    kinds: np.ndarray

    @property
    def numbers(self) -> int:
        """How many numbers are computed with to choose features for a question."""
        return self.matrices[0].size

    @property
    def variances(self) -> np.ndarray:
        """The diagonals: [questions, features]."""
        return np.diagonal(self.matrices, axis1=1, axis2=2)[self.kinds]

    def columns(self, features: np.ndarray) -> np.ndarray:
        """Give the columns of features [questions, k] as rows: [questions, k, features]."""
        return self.matrices[self.kinds[:, None], features]


@dataclasses.dataclass(frozen=True)
class FactoredKnown:
    """The same as F A F^T + diag(d), for many features.

    Attributes:
        factor: F, [features, rank].
        cores: A, [kinds, rank, rank].
        diagonals: d, [kinds, features].
        sums: the diagonals of F A F^T + diag(d), [kinds, features].
        kinds: int [questions].
    """

    factor: np.ndarray
    cores: np.ndarray
    diagonals: np.ndarray
    sums: np.ndarray
    kinds: np.ndarray

    @property
    def numbers(self) -> int:
        """How many numbers are computed with to choose features for a question."""
        return self.factor.size

    @property
    def variances(self) -> np.ndarray:
        """The diagonals: [questions, features]."""
        return self.sums[self.kinds]

    def columns(self, features: np.ndarray) -> np.ndarray:
        """Give the columns of features [questions, k] as rows: [questions, k, features]."""
        columns = (self.factor[features] @ self.cores[self.kinds]) @ self.factor.T
        question, place = np.ogrid[: len(features), : features.shape[1]]
        columns[question, place, features] += self.diagonals[self.kinds[:, None], features]
        return columns


@dataclasses.dataclass(frozen=True)
class Belief:
    """What is known of the tasks of questions.

    Attributes:
        mean: m(S), [questions, features].
        known: C(S) without the support's scatter.
        own: nu / (nu + N), how much of W is in C(S): [questions].
        root: sqrt(1 / (nu + N)), [questions].
        trust: what rows are multiplied by where they go beyond the limit, [questions, features].
        alone: the scatter beyond, which is no other feature's: [questions, features].
        about: trust root (x - m) of the support rows x, 0 where one only pads: [questions, support, features].
    """

    mean: np.ndarray
    known: DenseKnown | FactoredKnown
    own: np.ndarray
    root: np.ndarray
    trust: np.ndarray
    alone: np.ndarray
    about: np.ndarray

    @property
    def before(self) -> np.ndarray:
        """The variances in C(S) without the products of the rows: [questions, features]."""
        return self.known.variances + self.alone

    def columns(self, features: np.ndarray) -> np.ndarray:
        """Give the columns of features [questions, k] without these products: [questions, k, features]."""
        columns = self.known.columns(features)
        question, place = np.ogrid[: len(features), : features.shape[1]]
        columns[question, place, features] += np.take_along_axis(self.alone, features, axis=1)
        return columns

    def part(self, here: slice) -> "Belief":
        """Give what is known of some of the questions."""
        known = dataclasses.replace(self.known, kinds=self.known.kinds[here])
        of_questions = self.own, self.root, self.trust, self.alone, self.about
        return Belief(self.mean[here], known, *(values[here] for values in of_questions))


def belief_of(prior: Prior, nu: float, support: np.ndarray, mask: np.ndarray) -> Belief:
    """Give what is known of tasks from their supports.

    Args:
        prior: what the source tasks say.
        nu: how many rows W counts as.
        support: [questions, support, features].
        mask: bool [questions, support], False where a row only pads.
    """
    learned = prior.arguments
    dtype = np.float64 if prior.rank is None else np.float32
    count = mask.sum(axis=1)
    support = np.where(mask[..., None], support, 0.0)
    average = support.sum(axis=1) / np.maximum(count, 1)[:, None]
    away = (average - learned["mean"]) / learned["scale"]
    mean = learned["mean"] + learned["scale"] * _moved(learned, away, count[:, None])
    spread = 1.0 / nu
    root = np.sqrt(spread / (1.0 + spread * count))
    about = root[:, None, None] * np.where(mask[..., None], support - mean[:, None], 0.0)
    sizes, kinds = np.unique(count, return_inverse=True)
    known = _known(learned, sizes[:, None], spread, kinds)
    scatter = np.square(about).sum(axis=1)
    share = np.minimum(LIMIT * known.variances / np.maximum(scatter, TINY), 1.0)
    trust, alone, own = np.sqrt(share), (1.0 - share) * scatter, 1.0 - np.square(root) * count
    about *= trust[:, None]
    return Belief(mean.astype(dtype), known, own, *(one.astype(dtype) for one in (root, trust, alone, about)))


def _moved(learned: dict[str, Any], away: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Give N B (N B + W)^-1 (xbar - mu0), in units of `scale`."""
    axes, inverse, b = (learned[name] for name in ("axes", "axes_inverse", "between"))
    basis = learned.get("basis")
    share = count * b / (count * b + 1.0)
    if basis is None:
        return share * (away @ inverse.T) @ axes.T
    rest = count * learned["rest"] / (count * learned["rest"] + 1.0)
    along = away @ basis
    return rest * away + (share * (along @ inverse.T) @ axes.T - rest * along) @ basis.T


def _known(
    learned: dict[str, Any], sizes: np.ndarray, spread: float, kinds: np.ndarray
) -> DenseKnown | FactoredKnown:
    """Give [nu W + N V_N] / (nu + N) + V_N for each number of rows N, `sizes` [kinds, 1]."""

    def combined(b: np.ndarray) -> np.ndarray:
        share = spread * sizes / (1.0 + spread * sizes)  # N / (nu + N)
        return 1.0 - share + (1.0 + share) * b / (sizes * b + 1.0)

    scale, axes, basis = learned["scale"], learned["axes"], learned.get("basis")
    along = combined(learned["between"])
    if basis is None:
        axes = scale[:, None] * axes
        return DenseKnown(np.stack([(axes * one) @ axes.T for one in along]), kinds)
    rest = combined(learned["rest"])
    cores = (axes * along[:, None]) @ axes.T - rest[:, None] * np.eye(len(axes))
    factor, units = (scale[:, None] * basis).astype(np.float32), np.square(scale)
    outside = 1.0 - np.square(basis).sum(axis=1)
    sums = units * (along @ np.square(basis @ axes).T + rest * outside)
    diagonals, sums, cores = (part.astype(np.float32) for part in (rest * units, sums, cores))
    return FactoredKnown(factor, cores, diagonals, sums, kinds)
