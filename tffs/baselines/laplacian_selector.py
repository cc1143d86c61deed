"""`LaplacianScoreSelector`: the Laplacian score as a selector."""

import numpy as np

from tffs.baselines.laplacian_score import laplacian_score
from tffs.baselines.ranking_selector import RankingSelector
from tffs.errors import UserError


class LaplacianScoreSelector(RankingSelector):
    """Select the features that differ least between neighbouring rows, by the share of their variance.

    He, Cai and Niyogi (2005), Laplacian score for feature selection. Each row is joined to its nearest rows
    with weight exp(-distance² / 2 heat²). `inverse_transform` puts zeros where features were not selected.

    Args:
        n_features_to_select: how many to select: a number, or a share between 0 and 1. More than there are
            selects all, with a warning.
        n_neighbors: nearest rows to which each row is joined, fewer than there are rows.
        heat: of the weights, positive, in scaled units. None for sqrt(features / 2), which suits rows whose
            features have standard deviation 1. With a heat far below the rows' distances only the two rows that
            are nearest to each other decide.
        scaling: how rows are scaled before features are ranked: `standard` (mean 0, standard deviation 1),
            `minmax` (from 0 to 1) or `none`. `transform` does not scale.

    Attributes:
        ranking_: int [features], a rank for each feature: 1 if it is selected, and more the later it would be.
        order_: [features], their names, best first; "x0", "x1", ... where `fit` saw none.
        scores_: float64 [features], the Laplacian scores. Smaller is better; a constant feature has 1.
        n_features_: how many are selected.
        n_features_in_: how many there are.
        feature_names_in_: their names, where `fit` saw names.

    Two clusters of rows; the first feature tells them apart:

    >>> from tffs.baselines import LaplacianScoreSelector
    >>> rows = [[0.0, 3.0], [0.1, 1.0], [0.2, 2.0], [9.0, 1.0], [9.1, 2.0], [9.2, 3.0]]
    >>> selector = LaplacianScoreSelector(n_features_to_select=1, n_neighbors=2).fit(rows)
    >>> selector.order_
    array(['x0', 'x1'], dtype=object)
    >>> selector.transform(rows[:2])
    array([[0. ],
           [0.1]])
    """

    def __init__(
        self,
        n_features_to_select: int | float = 10,
        *,
        n_neighbors: int = 5,
        heat: float | None = None,
        scaling: str = "standard",
    ) -> None:
        super().__init__(n_features_to_select, scaling=scaling)
        self.n_neighbors = n_neighbors
        self.heat = heat

    def _rank(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not 1 <= self.n_neighbors < len(rows):
            raise UserError(
                f"Expected n_neighbors to be at least 1 and less than the number of rows, {len(rows)}. "
                f"Received: n_neighbors={self.n_neighbors!r}"
            )
        heat = np.sqrt(rows.shape[1] / 2) if self.heat is None else self.heat
        if not heat > 0:
            raise UserError(f"Expected heat to be positive, or None. Received: heat={self.heat!r}")
        scores = laplacian_score(self._scaled(rows), self.n_neighbors, heat)
        return np.argsort(scores, kind="stable"), scores
