"""Choose features that cost something: PySensors' cost-constrained QR, the yardstick, and ours.

Costs are made: lognormal, with mean 1, the same for everybody. Each method may spend as much as K features cost
on average. CCQR knows no budget: it subtracts costs from what a sensor tells, and orders as many sensors as its
basis has modes. So it is asked with several weights of the costs and several bases, and takes each feature of
its order that it can still pay. The page keeps the best of them in hindsight.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.peers.fits import GREEDY, Fits
from benchmarks.peers.questions import Question, Target
from benchmarks.peers.selectors import Sensors
from tffs.methods.catalogue import POSTERIOR

CCQR = "PySensors CCQR"
METHODS = (POSTERIOR, GREEDY, CCQR)
BUDGETS = (5, 10)
WEIGHTS = (0.0, 0.03, 0.1, 0.3, 1.0, 3.0)  # of a cost, beside the length of a column of the basis, at most 1
MODES = (10, 20, 30, 50, 100, 200)
DECODERS: dict[str, dict[str, Any]] = {
    "regularized": {},
    "regularized, a tenth of the noise": {"noise": 0.1},
    "least squares": {"method": "unregularized"},
}


def costs_of(features: int) -> np.ndarray:
    """Make what each feature costs, 1 on average."""
    drawn = np.random.default_rng(features).lognormal(0.0, 1.0, features)
    return drawn / drawn.mean()


def measured(asked: Question, fits: Fits, target: Target, budget: int, method: str) -> Iterator[dict[str, Any]]:
    """Give a line for each variant of a method."""
    rows = np.asarray(target.rows, np.float64)
    costs = costs_of(rows.shape[1])
    for variant, features, own in _found(asked, fits, target, costs, budget, method):
        ours = fits.error(target, features)
        yield {
            "variant": variant,
            "own": ours if own is None else asked.error(own, rows, features),
            "ours": ours,
            "distinct": len(features),
            "spent": round(float(costs[features].sum()), 4),
        }


def _found(
    asked: Question, fits: Fits, target: Target, costs: np.ndarray, budget: int, method: str
) -> Iterator[tuple[str, np.ndarray, np.ndarray | None]]:
    """Give variants, the features that they pay for, and what their decoder answers, None for ours."""
    if method == POSTERIOR:
        yield "", _afforded(fits.posterior().model, target.support, costs, budget), None
    elif method == GREEDY:
        fitted = fits.greedy()
        features = _afforded(fitted.model, target.support[:0], costs, budget)
        yield "", features, fitted.answer(target.support, target.rows, features)
    else:
        yield from _constrained(asked, fits, target, costs, budget)


def _afforded(model: Any, support: np.ndarray, costs: np.ndarray, budget: int) -> np.ndarray:
    import tensorflow as tf

    from tffs.selection.greedy import Limits

    none = tf.zeros([1, len(costs)], tf.bool)
    limits = Limits(none, none, tf.constant(costs[None], tf.float32), tf.constant([float(budget)]))
    indices = np.asarray(model.rank(tf.constant(support[None]), limits=limits).indices)[0]
    return indices[indices >= 0]


def _constrained(
    asked: Question, fits: Fits, target: Target, costs: np.ndarray, budget: int
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    from pysensors.optimizers import CCQR

    most = min(*asked.source.shape)
    for modes in sorted({min(modes, most) for modes in MODES}):
        for weight in WEIGHTS:
            key = (CCQR, modes, weight)  # no target has a say in it
            if key not in fits.made:
                sensors = Sensors(asked.source, modes, modes, CCQR(weight * costs))
                fits.made[key] = sensors, sensors.features
            sensors, order = fits.made[key]
            features = paid(order, costs, budget)
            if not len(features):
                continue
            sensors.reading(features)
            values = np.asarray(target.rows, np.float64)[:, features]
            for name, how in DECODERS.items():
                # Least squares of as many sensors as modes are singular if a sensor is constant.
                with contextlib.suppress(np.linalg.LinAlgError):
                    yield f"{modes} modes, weight {weight:g}, {name}", features, sensors.decode(values, **how)


def paid(order: np.ndarray, costs: np.ndarray, budget: float) -> np.ndarray:
    """Take from an order what can still be paid."""
    taken = []
    for feature in order:
        if costs[feature] <= budget:
            budget -= costs[feature]
            taken.append(feature)
    return np.asarray(taken, np.int64)
