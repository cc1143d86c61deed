"""`VarianceSelector`: the features that vary most."""

import numpy as np

from tffs.baselines.ranking_selector import RankingSelector
from tffs.data.source_statistics import variances
from tffs.errors import UserError


class VarianceSelector(RankingSelector):
    """Select the features that vary most.

    `inverse_transform` puts zeros where features were not selected.

    Args:
        n_features_to_select: how many to select: a number, or a share between 0 and 1. More than there are
            selects all, with a warning.
        scaling: how rows are scaled before features are ranked: `minmax` (from 0 to 1) or `none`. Other
            selectors' `standard` would give every feature the same variance. `transform` does not scale.

    Attributes:
        ranking_: int [features], a rank for each feature: 1 if it is selected, and more the later it would be.
        order_: [features], their names, best first; "x0", "x1", ... where `fit` saw none.
        scores_: float64 [features], the variances. Larger is better.
        n_features_: how many are selected.
        n_features_in_: how many there are.
        feature_names_in_: their names, where `fit` saw names.

    >>> from tffs.baselines import VarianceSelector
    >>> rows = [[7.0, 0.0, 1.0], [7.0, 9.0, 1.0], [7.0, 0.0, 3.0], [7.0, 9.0, 1.0]]
    >>> selector = VarianceSelector(n_features_to_select=2).fit(rows)
    >>> selector.order_
    array(['x1', 'x2', 'x0'], dtype=object)
    >>> selector.scores_
    array([0.    , 0.25  , 0.1875])
    """

    def __init__(self, n_features_to_select: int | float = 10, *, scaling: str = "minmax") -> None:
        super().__init__(n_features_to_select, scaling=scaling)

    def _rank(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.scaling == "standard":
            raise UserError(
                "Expected scaling to be 'minmax' or 'none', because with 'standard' every feature has the same "
                "variance. Received: scaling='standard'"
            )
        scores = variances(self._scaled(rows), np.arange(len(rows)))
        return np.argsort(-scores, kind="stable"), scores
