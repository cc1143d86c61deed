"""Infer what was not measured from features that are given: imputers, Gaussians and ours, with intervals."""

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers.fits import Fits
from benchmarks.peers.questions import Question, Target
from benchmarks.peers.selectors import Sensors
from benchmarks.peers.shrunk import shrunk
from tffs.layers.calibration import normal_multiple
from tffs.methods.catalogue import POSTERIOR
from tffs.methods.posterior import FittedPosterior

LEVEL = 0.9
ROWS = 300  # of a target that are inferred
NOISE = 0.1  # of PySensors' sensors, which it reconstructs better with than with its default
DRAWS = 5  # of IterativeImputer, for its intervals
NEIGHBORS = (5, 20)  # of KNNImputer: its default, and more
ITERATIVE = "IterativeImputer"
GIVEN = ("greedy", "random")
STUDENT = 2.132  # the 95 % quantile with DRAWS - 1 degrees of freedom


class Slow(NamedTuple):
    """How IterativeImputer is asked about a table; its time grows with the square of the features and more.

    Attributes:
        counts: K.
        nearest: on so many features it regresses each; None for a third of them.
        rounds: it goes round so often.
        known: it learns from so many of the source rows; None for all.
    """

    counts: tuple[int, ...] = (10,)
    nearest: int | None = None
    rounds: int = 20
    known: int | None = None


WIDE = Slow(nearest=50, rounds=10, known=1000)
SLOW = {
    "parkinsons": Slow(counts=(5, 10)),
    "digits_r": Slow(),
    "planted": Slow(),
    "mnist_r": WIDE,
    "isolet": WIDE,
    "amazon_reviews": WIDE,
    "pacs_features": WIDE,
}


class Inferred(NamedTuple):
    """Rows of which some features were inferred.

    Attributes:
        mean: [rows, features].
        reach: of the 90 % intervals to both sides, [rows, features] or [features]; None where there are none.
    """

    mean: np.ndarray
    reach: np.ndarray | None


def given(asked: Question, fits: Fits, how: str, count: int) -> np.ndarray:
    """Give K features that nobody who infers had a say in."""
    if how == "greedy":
        return fits.greedy().candidates(asked.targets[0].support, count)[0]
    return np.random.default_rng([asked.split, count]).permutation(asked.source.shape[1])[:count]


def methods_of(table: str, split: int, count: int) -> tuple[str, ...]:
    """Give the methods that are measured on a split.

    IterativeImputer fits a regression for every missing feature in every round, and for intervals all of it
    DRAWS times more.
    """
    if split == 0 and count in SLOW[table].counts:
        return tuple(METHODS)
    return tuple(name for name in METHODS if name != ITERATIVE)


def measured(asked: Question, fits: Fits, target: Target, how: str, count: int, method: str) -> dict[str, Any]:
    """Infer some rows of a target with one method: its error, and how often its intervals hold the truth."""
    features = given(asked, fits, how, count)
    rows = np.asarray(target.rows[:ROWS], np.float64)
    infer = METHODS[method]
    if method == POSTERIOR:  # fitted before, as `choosing` says in how many seconds
        fits.posterior()
    began = time.process_time()
    inferred = infer(asked, fits, target, features, rows[:, features])
    seconds = time.process_time() - began
    hidden = asked.source.std(axis=0) > 0.0
    hidden[features] = False
    line = {"error": asked.error(inferred.mean, rows, features), "seconds": round(seconds, 4)}
    if inferred.reach is None:
        return {**line, "coverage": None}
    inside = np.abs(rows - inferred.mean) <= inferred.reach + 1e-9
    return {**line, "coverage": round(float(inside[:, hidden].mean()), 4)}


def _ours(asked: Question, fits: Fits, target: Target, features: np.ndarray, values: np.ndarray) -> Inferred:
    fitted = fits.posterior()
    return _with(fitted, target, features, values, fitted.model.calibration.multiple(LEVEL))


def _pooled(asked: Question, fits: Fits, target: Target, features: np.ndarray, values: np.ndarray) -> Inferred:
    return _with(fits.greedy(), target, features, values, normal_multiple(LEVEL))


def _with(
    fitted: FittedPosterior, target: Target, features: np.ndarray, values: np.ndarray, multiple: float
) -> Inferred:
    mean, variance = fitted.inferred(target.support, _hidden(features, values, fitted.model.num_features))
    return Inferred(mean, multiple * np.sqrt(variance))


def _shrunk(asked: Question, fits: Fits, target: Target, features: np.ndarray, values: np.ndarray) -> Inferred:
    mean, variance = shrunk(asked.source, asked.groups, target.support).inferred(features, values)
    return Inferred(mean, normal_multiple(LEVEL) * np.sqrt(variance))


def _iterative(
    asked: Question, fits: Fits, target: Target, features: np.ndarray, values: np.ndarray
) -> Inferred:
    """Fill in the rows of all targets at once: they do not learn from each other.

    Intervals are from draws of its posterior, as its guide proposes.
    """
    key = (ITERATIVE, features.tobytes())
    if key not in fits.made:
        fits.made[key] = _imputed(asked, features)
    return fits.made[key][target.name]


def _imputed(asked: Question, features: np.ndarray) -> dict[str, Inferred]:
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    how, source = SLOW[asked.table], asked.source
    if how.known is not None:
        source = np.random.default_rng(asked.split).permutation(source)[: how.known]
    known = np.concatenate([source, *(target.support for target in asked.targets)])
    hidden = [_hidden(features, target.rows[:ROWS, features], known.shape[1]) for target in asked.targets]
    rows = np.concatenate([known, *hidden])

    def filled(draw: bool, seed: int) -> np.ndarray:
        imputer = IterativeImputer(
            **{"sample_posterior": draw, "random_state": seed, "keep_empty_features": True},
            max_iter=how.rounds,
            n_nearest_features=how.nearest or known.shape[1] // 3,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the rounds were not enough
            return imputer.fit_transform(rows)[len(known) :]

    draws = np.stack([filled(True, seed) for seed in range(DRAWS)])
    reach = STUDENT * draws.std(axis=0, ddof=1) * np.sqrt(1.0 + 1.0 / DRAWS)
    ends = np.cumsum([len(part) for part in hidden])[:-1]
    parts = zip(np.split(filled(False, 0), ends), np.split(reach, ends), strict=True)
    return {target.name: Inferred(*part) for target, part in zip(asked.targets, parts, strict=True)}


def _nearest(
    neighbors: int, asked: Question, fits: Fits, target: Target, features: np.ndarray, values: np.ndarray
) -> Inferred:
    """Answer the mean of the nearest source and support rows.

    KNNImputer gives the same where the rows it knows are complete (`tests/benchmarks/peers_test.py`), and takes
    a hundred times as long.
    """
    from sklearn.neighbors import KNeighborsRegressor

    rows = np.concatenate([asked.source, target.support])
    return Inferred(KNeighborsRegressor(neighbors).fit(rows[:, features], rows).predict(values), None)


def _sensors(asked: Question, fits: Fits, target: Target, features: np.ndarray, values: np.ndarray) -> Inferred:
    """Let PySensors reconstruct from sensors that it did not place, with what `std` says of each feature."""
    from pysensors.optimizers import QR

    count = len(features)
    sensors = Sensors(asked.source, count, count, QR()).reading(features)
    return Inferred(sensors.decode(values, NOISE), normal_multiple(LEVEL) * sensors.std(NOISE))


def _hidden(features: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    rows = np.full((len(values), size), np.nan, np.float32)
    rows[:, features] = values
    return rows


Infer = Callable[[Question, Fits, Target, np.ndarray, np.ndarray], Inferred]


def _of(neighbors: int) -> Infer:
    return lambda *arguments: _nearest(neighbors, *arguments)


METHODS: dict[str, Infer] = {
    POSTERIOR: _ours,
    "Gaussian of all rows": _pooled,
    "Gaussian within tasks": _shrunk,
    **{f"KNNImputer, {neighbors}": _of(neighbors) for neighbors in NEIGHBORS},
    "PySensors": _sensors,
    ITERATIVE: _iterative,
}
