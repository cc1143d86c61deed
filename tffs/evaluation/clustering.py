"""How well the chosen features cluster (ARI and NMI of K-means, in percent)."""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score


class ClusterQuality(NamedTuple):
    """Agreement of clusters and classes, in percent."""

    ari: float
    nmi: float


def cluster_quality(rows: np.ndarray, labels: np.ndarray, num_classes: int, seed: int) -> ClusterQuality | None:
    """Cluster rows with K-means and compare the clusters with the labels.

    Args:
        rows: [rows, chosen features].
        labels: int [rows].
        num_classes: how many clusters to look for.
        seed: of the initial centroids; ten of them are tried.

    Returns:
        The figures, or None where there are fewer rows than clusters.
    """
    if len(rows) < num_classes:
        return None
    with warnings.catch_warnings():
        # Features that take few different values make fewer clusters; the figures say so.
        warnings.simplefilter("ignore", ConvergenceWarning)
        clusters = KMeans(num_classes, n_init=10, random_state=seed).fit_predict(rows)
    return ClusterQuality(
        100.0 * float(adjusted_rand_score(labels, clusters)),
        100.0 * float(normalized_mutual_info_score(labels, clusters)),
    )
