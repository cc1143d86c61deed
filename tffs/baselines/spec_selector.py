"""`SpecSelector`: SPEC as a selector."""

import numpy as np

from tffs.baselines.ranking_selector import RankingSelector
from tffs.baselines.spec import ORDERS, order_of_scores, spec_score
from tffs.errors import UserError, listed


class SpecSelector(RankingSelector):
    """Select the features that follow the clusters of the rows, by SPEC's second ranking function.

    Zhao and Liu (2007), Spectral feature selection for supervised and unsupervised learning. All rows are
    joined with weights exp(-gamma distance²), so memory grows with the square of their number.
    `inverse_transform` puts zeros where features were not selected.

    Args:
        n_features_to_select: how many to select: a number, or a share between 0 and 1. More than there are
            selects all, with a warning.
        gamma: of the weights, positive, in scaled units. None for 1 / features, as in scikit-learn's
            `rbf_kernel`; scikit-feature has 1.
        order: `corrected` for the order of SPEC's paper, in which smaller scores are better; `library` for
            scikit-feature's, which is the other way round, to reproduce results that were published with it.
        scaling: how rows are scaled before features are ranked: `standard` (mean 0, standard deviation 1),
            `minmax` (from 0 to 1) or `none`. `transform` does not scale.

    Attributes:
        ranking_: int [features], a rank for each feature: 1 if it is selected, and more the later it would be.
        order_: [features], their names, best first; "x0", "x1", ... where `fit` saw none.
        scores_: float64 [features], SPEC's scores. A constant feature has 1000.
        n_features_: how many are selected.
        n_features_in_: how many there are.
        feature_names_in_: their names, where `fit` saw names.

    Two clusters of rows; the first feature tells them apart:

    >>> from tffs.baselines import SpecSelector
    >>> rows = [[0.0, 3.0], [0.1, 1.0], [0.2, 2.0], [9.0, 1.0], [9.1, 2.0], [9.2, 3.0]]
    >>> selector = SpecSelector(n_features_to_select=1).fit(rows)
    >>> selector.ranking_
    array([1, 2])
    >>> selector.get_support()
    array([ True, False])
    """

    def __init__(
        self,
        n_features_to_select: int | float = 10,
        *,
        gamma: float | None = None,
        order: str = "corrected",
        scaling: str = "standard",
    ) -> None:
        super().__init__(n_features_to_select, scaling=scaling)
        self.gamma = gamma
        self.order = order

    def _rank(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.order not in ORDERS:
            raise UserError(f"Expected order to be one of {listed(ORDERS)}. Received: order={self.order!r}")
        gamma = 1.0 / rows.shape[1] if self.gamma is None else self.gamma
        if not gamma > 0:
            raise UserError(f"Expected gamma to be positive, or None. Received: gamma={self.gamma!r}")
        scores = spec_score(self._scaled(rows), gamma)
        return order_of_scores(scores, self.order), scores
