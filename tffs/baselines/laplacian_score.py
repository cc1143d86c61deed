"""The Laplacian score (He, Cai and Niyogi, 2005): features that differ little between neighbouring rows."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import gen_batches

from tffs.baselines.scikit_feature import library_laplacian_ranking
from tffs.errors import UserError

# Below this variance a column counts as constant, as in skfeature.
SMALLEST_VARIANCE = 1e-12
BATCH = 512
HEATS = (0.1, 1.0, 10.0, 100.0)  # of the kernel (appendix B)
NEIGHBOURS, FEW_NEIGHBOURS = (5,), (1, 3, 5)


def rankings(source: np.ndarray, support: np.ndarray) -> list[np.ndarray]:
    """Rank the features once for each choice of the score's parameters that the paper tried (appendix B).

    The few rows of a target alone go through scikit-feature itself. Thousands go through `laplacian_ranking`,
    which is faster. It gives the library's order except where that depends on rounding error.

    Args:
        source: [rows, features], which may be empty.
        support: [rows, features].
    """
    rows = np.concatenate([source, support])
    few = not len(source)
    neighbours = [count for count in (FEW_NEIGHBOURS if few else NEIGHBOURS) if count < len(rows)]
    if not neighbours:
        raise UserError("The Laplacian score needs at least two rows: raise --support_sizes.")
    ranking = library_laplacian_ranking if few else laplacian_ranking
    return [ranking(rows, count, heat) for count in neighbours for heat in HEATS]


def laplacian_ranking(rows: np.ndarray, neighbours: int, heat: float) -> np.ndarray:
    """Order the features by their Laplacian score, best first; of equals the first comes first.

    Args:
        rows: [rows, features].
        neighbours: nearest rows to which each row is joined, fewer than there are rows.
        heat: the heat kernel's t, positive.

    Returns:
        int [features].
    """
    return np.argsort(laplacian_score(rows, neighbours, heat), kind="stable")


def laplacian_score(rows: np.ndarray, neighbours: int, heat: float) -> np.ndarray:
    """Score every feature with the Laplacian score; smaller is better.

    This is the score by which skfeature's `lap_score` ranks, with the graph of its `construct_W`: each row is
    joined to itself and to its nearest rows with weight exp(-distance² / 2t²), and to those whose nearest it
    is. Of rows equally far the first are nearest, so that of many identical rows not all count themselves.

    Where the heat is small beside the distances the weights between rows vanish beside the weight 1 of a row
    with itself, and skfeature's order is one of rounding errors. Here such scores keep their precision. Two
    rows say nothing: all columns that vary have the same score.

    Args:
        rows: [rows, features].
        neighbours: nearest rows to which each row is joined, fewer than there are rows.
        heat: the heat kernel's t, positive.

    Returns:
        float64 [features]; 1 for a constant column.
    """
    if rows.ndim != 2 or not 1 <= neighbours < len(rows):
        raise ValueError(
            "Expected [rows, features] and at least one neighbour but fewer than there are rows. "
            f"Received: rows of shape {rows.shape}, neighbours={neighbours!r}"
        )
    if not heat > 0:
        raise ValueError(f"Expected a positive heat. Received: heat={heat!r}")
    rows = shift(rows)
    weights = _heat_graph(rows, neighbours, heat)
    own = weights.diagonal()
    weights.setdiag(0.0)
    roughness, variance = roughness_and_variance(rows, weights, own)
    varies = variance >= SMALLEST_VARIANCE
    return np.divide(roughness, variance, out=np.ones_like(variance), where=varies)


def shift(rows: np.ndarray) -> np.ndarray:
    """Subtract the first row, which changes no score and makes constant columns exactly zero.

    Args:
        rows: [rows, features].

    Returns:
        float64 [rows, features].
    """
    rows = np.asarray(rows, np.float64)
    return rows - rows[0]


def roughness_and_variance(rows: np.ndarray, between: Any, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Measure how features change along a graph's edges, and how much they vary at all.

    A row's edge to itself cancels in the Laplacian L = D - W. It is left out there, because small weights
    between rows would be lost beside it.

    Args:
        rows: [rows, features], as `shift` gives them.
        between: [rows, rows], dense or sparse: the weights W without the diagonal.
        own: [rows]: W's diagonal.

    Returns:
        f'Lf and f'Df of every feature f without its D-weighted mean, both [features].
    """
    between_degree = np.asarray(between.sum(axis=1))[:, None]
    degree = between_degree + own[:, None]
    # Sums, not products with BLAS, which may round equal columns differently.
    centred = rows - (degree * rows).sum(axis=0) / degree.sum()
    roughness = (centred * (between_degree * centred - between @ centred)).sum(axis=0)
    return roughness, (degree * centred**2).sum(axis=0)


def _heat_graph(rows: np.ndarray, neighbours: int, heat: float) -> csr_array:
    """Join rows to themselves and their nearest; an edge that either end wants is there for both."""
    starts, ends, weights = [], [], []
    for batch in gen_batches(len(rows), BATCH):
        distances = euclidean_distances(rows[batch], rows, squared=True)
        np.fill_diagonal(distances[:, batch], 0.0)
        start, end = np.nonzero(_nearest(distances, neighbours + 1))
        starts.append(start + batch.start)
        ends.append(end)
        weights.append(np.exp(-distances[start, end] / (2 * heat * heat)))
    edges = np.concatenate(starts), np.concatenate(ends)
    graph = csr_array((np.concatenate(weights), edges), shape=(len(rows), len(rows)))
    return graph.maximum(graph.T).tocsr()


def _nearest(distances: np.ndarray, count: int) -> np.ndarray:
    """Mark the `count` smallest of every line, of equals the first: bool [lines, rows]."""
    limit = np.partition(distances, count - 1, axis=1)[:, count - 1 : count]
    closer, level = distances < limit, distances == limit
    missing = count - closer.sum(axis=1, keepdims=True)
    return closer | (level & (level.cumsum(axis=1) <= missing))
