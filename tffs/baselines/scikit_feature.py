"""Rankings by scikit-feature itself, as the paper made its figures, rounding and all.

Of two to six rows many features tie, and scikit-feature orders ties, and constant columns other than zeros, by
rounding. What it then chooses is arbitrary, but it is what the paper measured.
"""

import warnings

import numpy as np
from skfeature.function.similarity_based.lap_score import lap_score
from skfeature.function.similarity_based.SPEC import spec
from skfeature.utility.construct_W import construct_W


def library_laplacian_ranking(rows: np.ndarray, neighbours: int, heat: float) -> np.ndarray:
    """Order the features by the library's Laplacian score, best first.

    Args:
        rows: [rows, features].
        neighbours: of each row, fewer than there are rows.
        heat: the kernel's parameter.

    Returns:
        int [features].
    """
    rows = rows.astype(np.float64)
    options = {"metric": "euclidean", "neighbor_mode": "knn", "weight_mode": "heat_kernel"}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.asarray(lap_score(rows, mode="index", W=construct_W(rows, k=neighbours, t=heat, **options)))


def library_spec_ranking(rows: np.ndarray) -> np.ndarray:
    """Order the features by the library's SPEC, second ranking function, in the library's own order.

    Args:
        rows: [rows, features], at least two rows.

    Returns:
        int [features].
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.asarray(spec(rows.astype(np.float64), mode="index", style=0))
