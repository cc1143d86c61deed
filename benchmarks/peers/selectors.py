"""Peers that choose features from the rows of all source tasks together, whatever the target is.

Each gives K features in about as many lines as its user would write, and PySensors and the greedy choice a
decoder of their own. `gaussian` decodes for those that have none, and for all of them alike.
"""

import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

RIDGE = 1e-3  # of a feature's variance


class Selected(NamedTuple):
    """What a peer answers.

    Attributes:
        features: int [K], which it measures.
        decode: rows [rows, features] from values [rows, K], or None.
        seconds: what choosing took.
    """

    features: np.ndarray
    decode: Callable[[np.ndarray], np.ndarray] | None
    seconds: float


def greedy(source: np.ndarray, count: int) -> tuple[np.ndarray, Any]:
    """Take in turn the feature that lets most of all features' conditional variance fall."""
    left = np.cov(source.T)
    noise = RIDGE * np.diag(left)
    chosen: list[int] = []
    for _ in range(count):
        gains = np.square(left).sum(axis=0) / (np.diag(left) + noise + 1e-30)
        gains[chosen] = -np.inf
        best = int(gains.argmax())
        chosen.append(best)
        left = left - np.outer(left[best], left[best]) / (left[best, best] + noise[best] + 1e-30)
    features = np.array(chosen)
    return features, gaussian(source, features)


def pysensors(source: np.ndarray, count: int, method: str | None = None) -> tuple[np.ndarray, Any]:
    """Place sensors by QR pivots of the first K modes, and let PySensors reconstruct."""
    from pysensors.basis import SVD
    from pysensors.reconstruction import SSPOR

    mean = source.mean(axis=0)
    model = SSPOR(basis=SVD(n_basis_modes=count, random_state=0), n_sensors=count)
    model.fit(source - mean, quiet=True)
    features = np.asarray(model.get_selected_sensors())
    return features, lambda values: mean + model.predict(values - mean[features], method=method)


def cur(source: np.ndarray, count: int) -> tuple[np.ndarray, Any]:
    """Choose columns by their leverage scores in the first singular vectors."""
    from skmatter.feature_selection import CUR

    selector = CUR(n_to_select=count).fit(source - source.mean(axis=0))
    return np.flatnonzero(selector.get_support()), None


PEERS = {
    "greedy + ridge in NumPy": greedy,
    "PySensors": pysensors,
    "PySensors, unregularized": functools.partial(pysensors, method="unregularized"),
    "scikit-matter CUR": cur,
}


def selected(peer: str, source: np.ndarray, count: int) -> Selected:
    """Let a peer choose, with its time; what it imports is not counted."""
    PEERS[peer](source[:100], 2)
    began = time.perf_counter()
    features, decode = PEERS[peer](source, count)
    return Selected(features, decode, time.perf_counter() - began)


def gaussian(source: np.ndarray, features: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Decode with the mean and covariance of the source rows."""
    mean, covariance = source.mean(axis=0), np.cov(source.T)
    block = covariance[np.ix_(features, features)] + RIDGE * np.diag(np.diag(covariance)[features])
    gain = np.linalg.lstsq(block, covariance[features], rcond=None)[0]
    return lambda values: mean + (values - mean[features]) @ gain
