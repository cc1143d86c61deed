"""From sums to the prior: mu0, W and B, in the form in which `TaskPrior` keeps them."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from tffs.posterior.sketch import Sketch, Sketched, sketched
from tffs.posterior.source import Source

SHRINK = 0.1  # W's share of its diagonal is this times M / (M + rows)
LEAST_SHARE = 1e-4  # a feature's variance within tasks is at least this share of its variance over all rows
LEAST_VARIANCE = 1e-8  # of a feature that is constant
ONE_TASK_BETWEEN = 1.0  # B / W where there is one source task: nothing says how tasks differ


@dataclasses.dataclass(frozen=True)
class Prior:
    """What a `TaskPrior` learns, all but nu.

    Attributes:
        arguments: of `TaskPrior.learn`.
        rank: of the `TaskPrior`; None if its matrices are full.
        within: W [features, features]; None where it is not a full matrix.
        shrink: how much of W is its diagonal.
        floor: [features], the least variances within tasks.
        sketch: what W was estimated from where it is not a full matrix.
    """

    arguments: dict[str, Any]
    rank: int | None
    within: np.ndarray | None
    shrink: float
    floor: np.ndarray
    sketch: Sketch | None = None


def prior_of(source: Source, full: float, before: Prior | None = None) -> Prior:
    """Estimate mu0, W and B.

    Args:
        source: the tasks to learn from.
        full: how much of B is the covariance of the task means; the rest is the diagonal of it.
        before: another prior of the same source, whose passes over the rows are not made again.
    """
    moments = _moments(source, full)
    if source.dense:
        return _dense(source, moments)
    sketch = before.sketch if before else None
    return _wide(moments, sketch or sketched([moments.to_sketch(source)])[0])


def priors_of(sources: Sequence[Source], full: float) -> list[Prior]:
    """Estimate the priors of several sources of the same rows, which share the passes over them."""
    moments = [_moments(source, full) for source in sources]
    if not all(source.dense for source in sources):
        pairs = zip(sources, moments, strict=True)
        sketches = sketched([own.to_sketch(source) for source, own in pairs])
        return [_wide(own, sketch) for own, sketch in zip(moments, sketches, strict=True)]
    return [_dense(source, own) for source, own in zip(sources, moments, strict=True)]


@dataclasses.dataclass(frozen=True)
class _Moments:
    """What is known without looking at how features go together.

    Attributes:
        mean: mu0.
        scale: [features], standard deviations within tasks.
        floor: [features], the least variances within tasks.
        between: [features], the diagonal of B, in units of `scale` squared.
        away: [tasks, features], whose products are the full B in units of `scale`.
        full: how much of B these are.
        rows: how many.
        freedom: rows less tasks.
    """

    mean: np.ndarray
    scale: np.ndarray
    floor: np.ndarray
    between: np.ndarray
    away: np.ndarray
    full: float
    rows: int
    freedom: int

    def to_sketch(self, source: Source) -> Sketched:
        """Say what W is sketched from."""
        return Sketched(source, self.scale, self.away, self.freedom)


def _moments(source: Source, full: float) -> _Moments:
    means, counts = source.means(), source.counts()
    rows, tasks = int(counts.sum()), len(counts)
    mean = means.mean(axis=0)
    total = source.row_variance()
    freedom = max(rows - tasks, 1)
    floor = LEAST_SHARE * total + LEAST_VARIANCE
    within = np.maximum(source.scatter_diagonal() / freedom, floor)
    if rows == tasks:  # a row a task: half of what is seen is within tasks
        within = np.maximum(0.5 * total, floor)
    scale = np.sqrt(within)
    away = (means - mean) / scale
    # Task means scatter by B and by W / n; correlations are those of the means.
    if tasks > 1:
        seen = np.square(away).sum(axis=0) / (tasks - 1)
        between = np.maximum(seen - np.mean(1.0 / counts), 1e-3 * seen)
        away *= np.sqrt(between / np.maximum(seen, LEAST_VARIANCE) / (tasks - 1))
    else:
        between = np.full(len(mean), ONE_TASK_BETWEEN)
        away = np.zeros((0, len(mean)))
        full = 0.0
    return _Moments(mean, scale, floor, between, away, full, rows, freedom)


def _dense(source: Source, moments: _Moments) -> Prior:
    """Put a prior of full matrices together."""
    scale, features, rows = moments.scale, len(moments.mean), moments.rows
    shrink = SHRINK * features / (features + rows)
    many = rows > len(source.counts())
    shape = source.scatter() / moments.freedom / np.outer(scale, scale) if many else np.eye(features)
    shape *= 1.0 - shrink
    np.fill_diagonal(shape, 1.0)
    spread = moments.full * (moments.away.T @ moments.away)
    spread[np.diag_indices_from(spread)] += (1.0 - moments.full) * moments.between
    axes, inverse, b = _both_diagonal(shape, spread)
    arguments = {
        **{"mean": moments.mean, "scale": scale, "axes": axes, "axes_inverse": inverse},
        **{"between": b, "rest": 1.0},
    }
    return Prior(arguments, None, shape * np.outer(scale, scale), shrink, moments.floor)


def _wide(moments: _Moments, sketch: Sketch) -> Prior:
    """Put a prior of a few factors together."""
    parts = moments.mean, moments.scale, moments.away, moments.between, moments.full
    arguments = _factored(sketch, *parts)
    return Prior(arguments, arguments["basis"].shape[1], None, 0.0, moments.floor, sketch)


def _both_diagonal(within: np.ndarray, between: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give Y, its inverse and b with W = Y Y^T and B = Y diag(b) Y^T."""
    triangle = np.linalg.cholesky(within)
    inverse = np.linalg.inv(triangle)
    b, axes = np.linalg.eigh(inverse @ between @ inverse.T)
    return triangle @ axes, axes.T @ inverse, np.maximum(b, 0.0)


def _factored(
    sketch: Sketch,
    mean: np.ndarray,
    scale: np.ndarray,
    away: np.ndarray,
    between: np.ndarray,
    full: float,
) -> dict[str, Any]:
    """Give W and B as a few factors and a diagonal."""
    basis, core, rest = sketch
    scale = scale * np.sqrt(rest)
    basis = basis / np.sqrt(rest)[:, None]
    orthogonal, mixing = np.linalg.qr(basis)
    within = np.eye(mixing.shape[0]) + mixing @ core @ mixing.T
    along = (away / np.sqrt(rest)) @ orthogonal
    share = (1.0 - full) * float(np.mean(between / rest))
    spread = full * (along.T @ along) + share * np.eye(mixing.shape[0])
    axes, inverse, b = _both_diagonal(within, spread)
    return {
        "mean": mean,
        "scale": scale,
        "axes": axes,
        "axes_inverse": inverse,
        "between": b,
        "rest": share,
        "basis": orthogonal,
    }
