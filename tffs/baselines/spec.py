"""SPEC (Zhao and Liu, 2007) with its second ranking function, on the graph of all rows."""

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from tffs.baselines.laplacian_score import roughness_and_variance, shift
from tffs.baselines.scikit_feature import library_spec_ranking

# What skfeature scores a column of zeros with, and the norm below which it takes a column for one.
CONSTANT_SCORE = 1000.0
SMALLEST_NORM = 100 * np.spacing(1.0)
ORDERS = ("library", "corrected")


def rankings(source: np.ndarray, support: np.ndarray) -> list[np.ndarray]:
    """Rank the features in scikit-feature's order; the few rows of a target alone by the library itself.

    Args:
        source: [rows, features], which may be empty.
        support: [rows, features].
    """
    if not len(source):
        return [library_spec_ranking(support)]
    return [spec_ranking(np.concatenate([source, support]), "library")]


def corrected_rankings(source: np.ndarray, support: np.ndarray) -> list[np.ndarray]:
    """Rank the features in the order of SPEC's paper."""
    return [spec_ranking(np.concatenate([source, support]), "corrected")]


def spec_ranking(rows: np.ndarray, order: str, gamma: float = 1.0) -> np.ndarray:
    """Order the features by their SPEC score, best first.

    The second ranking function is small for a feature that follows the data's clusters, so in SPEC's paper
    smaller is better. skfeature sorts its scores the other way round: features that separate clusters come
    last, and constant columns first. Results published with skfeature come from that order, in which equals,
    such as the many pixels that are zero in all of a few images, stand as its sort happens to leave them.

    Args:
        rows: [rows, features], at least two rows.
        order: "library" for skfeature's order, to reproduce; "corrected" for that of SPEC's paper, to use:
            smaller is better, constant columns come last, and of equals the first comes first.
        gamma: of the graph's weights exp(-gamma distance²), positive; skfeature's is 1.

    Returns:
        int [features].
    """
    return order_of_scores(spec_score(rows, gamma), order)


def order_of_scores(scores: np.ndarray, order: str) -> np.ndarray:
    """Order the features by scores of `spec_score`; see `spec_ranking`."""
    if order not in ORDERS:
        raise ValueError(f"Expected one of {ORDERS}. Received: order={order!r}")
    if order == "library":
        return np.argsort(scores)[::-1]
    return np.argsort(scores, kind="stable")  # no other score exceeds 2, so constant columns are last


def spec_score(rows: np.ndarray, gamma: float = 1.0) -> np.ndarray:
    """Score every feature with SPEC's second ranking function; smaller is better.

    This is what skfeature's `spec(style=0)` computes from all eigenvectors of the normalised Laplacian of the
    graph with weights exp(-gamma distance²). With f weighted by the root of the degrees D and normalised, and
    xi the trivial eigenvector, the function is f'Lf / (1 - (f'xi)²). The root cancels in the numerator, and xi
    is the root itself, so no eigenvector is needed: it is the Laplacian score on this graph.

    skfeature scores a column of zeros 1000 and leaves any other constant column to rounding: infinite, or
    about zero. Here they all score 1000. Where all rows are far from one another (gamma distance² above about
    36) skfeature's scores are rounding errors or all zero; here they keep their precision.

    Args:
        rows: [rows, features], at least two rows.
        gamma: of the graph's weights, positive; skfeature's is 1.

    Returns:
        float64 [features]; 1000 for a constant column.
    """
    if rows.ndim != 2 or len(rows) < 2:
        raise ValueError(f"Expected [rows, features] with at least two rows. Received: shape {rows.shape}")
    rows = shift(rows)
    weights = rbf_kernel(rows, gamma=gamma)
    own = weights.diagonal().copy()
    np.fill_diagonal(weights, 0.0)
    roughness, variance = roughness_and_variance(rows, weights, own)
    varies = variance >= SMALLEST_NORM**2
    return np.divide(roughness, variance, out=np.full_like(variance, CONSTANT_SCORE), where=varies)
