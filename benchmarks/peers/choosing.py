"""Let every peer choose K features for a new task, and measure what its decoder and ours make of them."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.peers.fits import CAE, CLOSED, FITTED, GREEDY, Fits
from benchmarks.peers.questions import TABLES, Question, Target
from benchmarks.peers.selectors import PEERS, Decode
from benchmarks.peers.shrunk import shrunk
from benchmarks.peers.swapping import swapped
from tffs.methods.catalogue import POSTERIOR
from tffs.methods.posterior import FittedPosterior

SHRUNK = "greedy within tasks"
SWAPPED = "posterior, swapped"
METHODS = (POSTERIOR, CLOSED, SWAPPED, GREEDY, SHRUNK, *PEERS, CAE)
Found = tuple[str, np.ndarray, Decode, float]  # variant, features, decoder and seconds


def methods_of(table: str, split: int, count: int) -> tuple[str, ...]:
    """Give the methods that are measured on a split with K features."""
    asked = TABLES[table]
    trained = split < asked.cae_splits and count in (asked.cae_counts or asked.counts)
    return METHODS if trained else tuple(name for name in METHODS if name != CAE)


def warm() -> None:
    """Import what peers import, so that it is not counted as time of the first choice."""
    rows = np.random.default_rng(0).standard_normal((60, 8))
    for choose in (choose for variants in PEERS.values() for choose in variants.values()):
        choose(rows, 2)
    shrunk(rows, np.arange(60) % 3, rows[:2]).chosen(2)


def measured(asked: Question, fits: Fits, target: Target, count: int, method: str) -> Iterator[dict[str, Any]]:
    """Give a line for each variant of a method, with errors as shares of that of the source rows' mean."""
    rows = np.asarray(target.rows, np.float64)
    for variant, features, decode, seconds in _found(asked, fits, target, count, method):
        ours = fits.error(target, features)
        yield {
            "variant": variant,
            "own": ours if method == POSTERIOR else asked.error(decode(rows[:, features]), rows, features),
            "ours": ours,
            "msre_of_mean": round(asked.of_mean(rows) / len(rows), 6),
            "distinct": len(set(features.tolist())),
            "seconds": round(seconds, 4),
        }


def _found(asked: Question, fits: Fits, target: Target, count: int, method: str) -> Iterator[Found]:
    support = target.support
    if method == SHRUNK:
        began = time.process_time()
        gaussian = shrunk(asked.source, asked.groups, support)
        features = gaussian.chosen(count)
        took = time.process_time() - began
        yield "", features, lambda values: gaussian.inferred(features, values)[0], took
    elif method == SWAPPED:
        fitted, fitting = fits.of(POSTERIOR)
        began = time.process_time()
        features = _swapped(fitted, support, count)
        took = fitting + time.process_time() - began
        yield "", features, lambda values: fitted.answer(support, target.rows, features), took
    elif method in FITTED:
        fitted, fitting = fits.of(method, count)
        began = time.process_time()
        (features,) = fitted.candidates(support, count)
        took = fitting + time.process_time() - began
        yield "", features, lambda values: fitted.answer(support, target.rows, features), took
    else:
        for variant, choose in PEERS[method].items():
            for name, rows in _rows(asked, target).items():
                began = time.process_time()
                features, decode = choose(rows, count)
                yield f"{variant}; {name}", features, decode, time.process_time() - began


def _swapped(fitted: FittedPosterior, support: np.ndarray, count: int) -> np.ndarray:
    """Swap features of the posterior's choice, which is nested, by its own expected error."""
    model, (chosen,) = fitted.model, fitted.candidates(support, count)
    covariance = np.asarray(
        model.prior.belief(support[None]).covariance.columns(0, np.arange(support.shape[1]))
    )
    weights, ridge = np.asarray(model.weights_of_features, np.float64), float(model.decoder.ridge)
    return swapped(covariance.astype(np.float64), weights, ridge, chosen)


def _rows(asked: Question, target: Target) -> dict[str, np.ndarray]:
    """Give the rows that a peer without tasks may pool."""
    return {"source": asked.source, "source and support": np.concatenate([asked.source, target.support])}
