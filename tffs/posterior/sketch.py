"""W for many features: the directions in which rows of the same task differ most, and a diagonal.

A randomised range finder (Halko, Martinsson and Tropp 2011) in three passes over the rows, so that memory is
M times the rank and never M times M. Rows are read and multiplied in float32: what is computed is an estimate,
and the diagonal has what it leaves.
"""

from typing import NamedTuple

import numpy as np

from tffs.posterior.source import Source

RANK = 160  # of W; what it leaves goes to the diagonal
MORE = 10  # directions that are drawn beyond it
MEANS = 40  # directions in which task means differ most
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


def sketched(source: Source, scale: np.ndarray, away: np.ndarray, freedom: int) -> Sketch:
    """Sketch W in directions that include those of the task means.

    Args:
        source: the tasks to learn from.
        scale: [features], standard deviations within tasks.
        away: [tasks, features], task means about their mean, in units of `scale`.
        freedom: rows less tasks.
    """
    features = len(scale)
    rank = int(min(RANK + MORE, freedom, features))
    drawn = np.random.default_rng(0).standard_normal((features, rank), np.float32)
    basis = np.linalg.qr(_applied(source, scale, drawn))[0]
    basis = np.linalg.qr(_applied(source, scale, basis))[0]
    if len(away):
        _, _, directions = np.linalg.svd(away, full_matrices=False)
        basis = np.linalg.qr(np.concatenate([basis, directions[:MEANS].T], axis=1))[0]
    core = np.zeros((basis.shape[1],) * 2)
    directions = (basis / scale[:, None]).astype(np.float32)
    for block, _ in source.about_means(np.float32):
        along = (block @ directions).astype(np.float64)
        core += along.T @ along
    core /= freedom
    rest = np.maximum(1.0 - np.einsum("mr,rs,ms->m", basis, core, basis, optimize=True), LEAST_REST)
    return Sketch(basis, core, rest)


def _applied(source: Source, scale: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Give (scatter / (scale scale^T)) vectors: [features, vectors]."""
    vectors = (vectors / scale[:, None]).astype(np.float32)
    total = np.zeros_like(vectors)
    for block, _ in source.about_means(np.float32):
        total += block.T @ (block @ vectors)
    return total / scale[:, None]
