"""Measure the spectral baselines against skfeature: SPEC's second ranking function and the Laplacian score."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from skfeature.function.similarity_based.lap_score import lap_score
from skfeature.function.similarity_based.SPEC import spec
from skfeature.utility.construct_W import construct_W
from sklearn.datasets import load_digits

from tffs.baselines.laplacian_score import laplacian_score
from tffs.baselines.spec import spec_score

TASKS = 6
NEIGHBOURS, HEAT = 5, 1.0


def measure(rows: int, features: int, rounds: int) -> dict[str, Any]:
    """Time ours and skfeature's in turn, in this process, and compare the scores.

    Args:
        rows: of all tasks together.
        features: of each row.
        rounds: how often each is timed; the order of the two alternates.

    Returns:
        For "spec" and "laplacian_score": both medians in seconds, the median over rounds of the library's
        seconds by ours, and the largest relative difference of scores.
    """
    data = task_rows(rows, features)
    small = task_rows(50, features)
    for call in (spec_score, _library_spec, _own_laplacian, _library_laplacian):
        call(small)
    return {
        "rows": rows,
        "features": features,
        "rounds": rounds,
        "spec": {
            **_compare(lambda: spec_score(data), lambda: _library_spec(data), rounds),
            "largest_difference": _difference(spec_score(data), _library_spec(data)),
        },
        "laplacian_score": {
            **_compare(lambda: _own_laplacian(data), lambda: _library_laplacian(data), rounds),
            "largest_difference": _difference(
                _own_laplacian(data), _score_on(_library_graph(data).toarray(), data)
            ),
        },
    }


def task_rows(rows: int, features: int) -> np.ndarray:
    """Make rows of several tasks: digits with noise, each task with its pixels in another order.

    Args:
        rows: of all tasks together.
        features: of each row; the 64 pixels are repeated as often as needed.

    Returns:
        float64 [rows, features]. Pixels are scaled so that distances do not grow with the features, as SPEC's
        weights vanish with distance.
    """
    rng = np.random.default_rng(0)
    digits = load_digits().data / 16
    parts = []
    for part in np.array_split(np.arange(rows), TASKS):
        pixels = np.resize(rng.permutation(digits.shape[1]), features)
        parts.append(digits[rng.integers(len(digits), size=len(part))][:, pixels])
    data = np.concatenate(parts)
    return (data + 0.05 * rng.normal(size=data.shape)) * np.sqrt(digits.shape[1] / features)


def _own_laplacian(data: np.ndarray) -> np.ndarray:
    return laplacian_score(data, NEIGHBOURS, HEAT)


def _library_spec(data: np.ndarray) -> np.ndarray:
    return spec(data, mode="raw", style=0)


def _library_graph(data: np.ndarray) -> Any:
    options = {"metric": "euclidean", "neighbor_mode": "knn", "weight_mode": "heat_kernel"}
    return construct_W(data, k=NEIGHBOURS, t=HEAT, **options)


def _library_laplacian(data: np.ndarray) -> np.ndarray:
    return lap_score(data, mode="index", W=_library_graph(data))


def _compare(own: Callable[[], Any], library: Callable[[], Any], rounds: int) -> dict[str, float]:
    """Time both once a round; whoever was first is second in the next round."""
    own_seconds, library_seconds = [], []
    for index in range(rounds):
        pairs = [(own, own_seconds), (library, library_seconds)]
        for call, seconds in pairs if index % 2 == 0 else pairs[::-1]:
            began = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - began)
    return {
        "own_s": float(np.median(own_seconds)),
        "library_s": float(np.median(library_seconds)),
        "times_faster": float(np.median(np.divide(library_seconds, own_seconds))),
    }


def _score_on(graph: np.ndarray, data: np.ndarray) -> np.ndarray:
    """Score with the library's graph, as `lap_score` returns no scores."""
    degree = graph.sum(axis=1)
    centred = data - degree @ data / degree.sum()
    variance = degree @ centred**2
    return 1 - (centred * (graph @ centred)).sum(axis=0) / variance


def _difference(own: np.ndarray, library: np.ndarray) -> float:
    return float(np.max(np.abs(own - library) / np.abs(library)))
