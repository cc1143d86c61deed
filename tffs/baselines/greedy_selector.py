"""`GreedySelector`: the features that tell most about all others."""

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_array, check_is_fitted

from tffs.baselines.column_subset import Correlation, greedy_order
from tffs.baselines.ranking_selector import RankingSelector
from tffs.errors import UserError, listed
from tffs.posterior.threads import at_most


class GreedySelector(RankingSelector):
    """Select one after the other the feature that tells most about those not yet selected.

    This is greedy column subset selection on the covariance of all rows. It is the posterior's yardstick: what
    remains of `tffs.FewShotFeatureSelector` when nothing is known of tasks.

    Args:
        n_features_to_select: how many to select: a number, or a share between 0 and 1. More than there are
            selects all, with a warning.
        ridge: the variance of a measurement as a share of the feature's variance, not negative.
        scaling: the units in which errors of features are added up: `standard` (each feature counts alike),
            `minmax` (errors are shares of the feature's range) or `none` (raw units).

    Attributes:
        ranking_: int [features], a rank for each feature: 1 if it is selected, and more the later it would be.
        order_: [features], their names, best first; "x0", "x1", ... where `fit` saw none.
        scores_: float64 [features], by how much the expected squared error falls when the feature is added, as
            a share of the error without any feature.
        n_features_: how many are selected.
        n_features_in_: how many there are.
        feature_names_in_: their names, where `fit` saw names.

    The second feature is twice the first, so one of them is enough. From so few rows, what is inferred is drawn
    towards the mean:

    >>> import numpy as np
    >>> from tffs.baselines import GreedySelector
    >>> rows = np.array([[1.0, 2.0, 5.0], [2.0, 4.0, 1.0], [3.0, 6.0, 2.0], [4.0, 8.0, 6.0]])
    >>> selector = GreedySelector(n_features_to_select=2).fit(rows)
    >>> selector.order_
    array(['x0', 'x2', 'x1'], dtype=object)
    >>> measured = selector.transform(rows)
    >>> selector.inverse_transform(measured).round(1)
    array([[1. , 2.2, 5. ],
           [2. , 4. , 1. ],
           [3. , 5.9, 2. ],
           [4. , 7.9, 6. ]])
    """

    def __init__(
        self, n_features_to_select: int | float = 10, *, ridge: float = 1e-3, scaling: str = "standard"
    ) -> None:
        super().__init__(n_features_to_select, scaling=scaling)
        self.ridge = ridge

    def _rank(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not self.ridge >= 0:
            raise UserError(f"Expected ridge not to be negative. Received: ridge={self.ridge!r}")
        weights = self._scaled(rows).var(axis=0)
        self._units = StandardScaler().fit(rows)
        correlation = Correlation.of(self._units.transform(rows))
        with at_most(1):  # products with vectors: threads wait for each other longer than they work
            order, falls = greedy_order(correlation, weights, self.ridge)
        scores = np.empty(len(order))
        scores[order] = falls / max(weights @ correlation.variances(), np.finfo(np.float64).tiny)
        self._gain = correlation.gain(np.sort(order[: self.n_features_]), self.ridge)
        self._range = rows.min(axis=0), rows.max(axis=0)
        return order, scores

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Infer all features from those selected, as the mean of a Gaussian given them.

        Args:
            X: [rows, selected features], in raw units, as `transform` gives them.

        Returns:
            [rows, features] in raw units. Selected features have the values that were given; the others are
            within the range that `fit` saw.
        """
        check_is_fitted(self)
        chosen = self.get_support(indices=True)
        if hasattr(self, "feature_names_in_") and hasattr(X, "columns"):
            names = self.feature_names_in_[chosen]
            if list(X.columns) != list(names):
                raise UserError(
                    f"Expected the selected features in their order, {listed(names)}. "
                    f"Received the columns {listed([str(column) for column in X.columns])}"
                )
        values = check_array(X, dtype=[np.float64, np.float32])
        if values.shape[1] != len(chosen):
            raise UserError(f"Expected the {len(chosen)} selected features. Received {values.shape[1]} columns")
        mean, scale = self._units.mean_, self._units.scale_
        inferred = mean + scale * ((values - mean[chosen]) / scale[chosen] @ self._gain.T)
        rows = np.clip(inferred, *self._range).astype(values.dtype)
        rows[:, chosen] = values
        return rows
