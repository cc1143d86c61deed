"""W for many features: the directions in which rows of the same task differ most, and a diagonal.

A randomised range finder (Halko, Martinsson and Tropp 2011) in three passes over the rows, so that memory is
M times the rank and never M times M. Several sources of the same rows share the passes.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from tffs.data.sums import Arrays, summed
from tffs.posterior.source import Source

PASSES = 3
RANK = 160  # of W; what it leaves goes to the diagonal
MORE = 10  # directions that are drawn beyond it
MEANS = 40  # directions in which task means differ most
ROUNDING = 1e-10  # a direction of so small a share of the largest is chosen by rounding alone
LEAST_REST = 1e-2  # of a feature's variance that stays on the diagonal


class Sketch(NamedTuple):
    """W / (scale scale^T) as Q A Q^T + diag(rest).

    Attributes:
        basis: Q, [features, rank], with orthonormal columns.
        core: A, [rank, rank].
        rest: [features].
    """

    basis: np.ndarray
    core: np.ndarray
    rest: np.ndarray


class Sketched(NamedTuple):
    """What W is sketched from.

    Attributes:
        source: the tasks to learn from.
        scale: [features], standard deviations within tasks.
        away: [tasks, features], task means about their mean, in units of `scale`.
        freedom: rows less tasks.
    """

    source: Source
    scale: np.ndarray
    away: np.ndarray
    freedom: int


def sketched(wanted: Sequence[Sketched]) -> list[Sketch]:
    """Sketch W in directions that include those of the task means, for each of some sources."""
    bases = [_drawn(one) for one in wanted]
    for _ in range(PASSES - 1):
        bases = [np.linalg.qr(applied)[0] for applied in _applied(wanted, bases)]
    bases = [_with_means(one, basis) for one, basis in zip(wanted, bases, strict=True)]
    along = [_Along(basis / one.scale[:, None]) for one, basis in zip(wanted, bases, strict=True)]
    sums = summed(
        wanted[0].source.matrix,
        [one.source.about_means(what) for one, what in zip(wanted, along, strict=True)],
    )
    return [
        _from_sums(basis, found["core"] / one.freedom)
        for one, basis, found in zip(wanted, bases, sums, strict=True)
    ]


def _drawn(wanted: Sketched) -> np.ndarray:
    """Draw directions: [features, directions]."""
    features = len(wanted.scale)
    rank = int(min(RANK + MORE, wanted.freedom, features))
    return np.random.default_rng(0).standard_normal((features, rank), np.float32).astype(np.float64)


def _applied(wanted: Sequence[Sketched], bases: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Give (scatter / (scale scale^T)) basis of each: [features, directions]."""
    sums = summed(
        wanted[0].source.matrix,
        [
            one.source.about_means(_Applied(basis / one.scale[:, None]))
            for one, basis in zip(wanted, bases, strict=True)
        ],
    )
    return [found["applied"] / one.scale[:, None] for one, found in zip(wanted, sums, strict=True)]


def _with_means(wanted: Sketched, basis: np.ndarray) -> np.ndarray:
    """Add the directions in which task means differ."""
    if not len(wanted.away):
        return basis
    _, sizes, directions = np.linalg.svd(wanted.away, full_matrices=False)
    differ = sizes > ROUNDING * sizes[0]  # deviations from their mean span one direction less than there are
    return np.linalg.qr(np.concatenate([basis, directions[differ][:MEANS].T], axis=1))[0]


def _from_sums(basis: np.ndarray, core: np.ndarray) -> Sketch:
    rest = np.maximum(1.0 - np.einsum("mr,rs,ms->m", basis, core, basis, optimize=True), LEAST_REST)
    return Sketch(basis, core, rest)


@dataclasses.dataclass(frozen=True)
class _Applied:
    """The scatter of the rows times some directions."""

    directions: np.ndarray
    merged: ClassVar[Mapping[str, np.ufunc]] = {"applied": np.add}

    def zeros(self) -> Arrays:
        return {"applied": np.zeros(self.directions.shape)}

    def add(self, sums: Arrays, block: np.ndarray) -> None:
        sums["applied"] += block.T @ (block @ self.directions)


@dataclasses.dataclass(frozen=True)
class _Along:
    """The scatter of the rows along some directions."""

    directions: np.ndarray
    merged: ClassVar[Mapping[str, np.ufunc]] = {"core": np.add}

    def zeros(self) -> Arrays:
        return {"core": np.zeros((self.directions.shape[1],) * 2)}

    def add(self, sums: Arrays, block: np.ndarray) -> None:
        along = block @ self.directions
        sums["core"] += along.T @ along
