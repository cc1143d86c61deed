"""What selectors have in common that rank all features once and keep the first."""

import abc
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from tffs.errors import UserError, listed
from tffs.estimator.feature_count import feature_count
from tffs.estimator.sklearn_compat import validated

SCALERS = {"standard": StandardScaler, "minmax": MinMaxScaler, "none": FunctionTransformer}


class RankingSelector(SelectorMixin, BaseEstimator):
    """Rank features by rows without labels, and select the first.

    Args:
        n_features_to_select: how many to select: a number, or a share between 0 and 1. More than there are
            selects all, with a warning.
        scaling: how rows are scaled before features are ranked, because ranks depend on units: `standard` (mean
            0, standard deviation 1), `minmax` (from 0 to 1) or `none`. `transform` does not scale.

    Attributes:
        ranking_: int [features], a rank for each feature: 1 if it is selected, and more the later it would be.
        order_: [features], their names, best first; "x0", "x1", ... where `fit` saw none.
        scores_: float64 [features], what they are ranked by.
        n_features_: how many are selected.
        n_features_in_: how many there are.
        feature_names_in_: their names, where `fit` saw names.
    """

    # With scikit-learn's metadata routing, groups are passed without `set_fit_request`.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(self, n_features_to_select: int | float = 10, *, scaling: str = "standard") -> None:
        self.n_features_to_select = n_features_to_select
        self.scaling = scaling

    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Rank the features.

        Args:
            X: [rows, features], an array, a DataFrame or lists; at least two rows, without missing values.
            y: ignored.
            groups: ignored. All rows count alike, whichever task they are of. It is accepted so that this
                selector can stand wherever `tffs.FewShotFeatureSelector` stands.
        """
        rows = validated(self, X, reset=True, min_samples=2).astype(np.float64)
        self.n_features_ = feature_count(self.n_features_to_select, self.n_features_in_)
        order, self.scores_ = self._rank(rows)
        self.ranking_ = np.empty(len(order), np.int64)
        self.ranking_[order] = np.maximum(np.arange(len(order)) - self.n_features_ + 2, 1)
        self.order_ = self._names()[order]
        return self

    @abc.abstractmethod
    def _rank(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Give all features, best first, and the score of each: int and float64 [features].

        Args:
            rows: float64 [rows, features], not scaled.
        """

    def _scaled(self, rows: np.ndarray) -> np.ndarray:
        """Scale rows as `scaling` says."""
        if self.scaling not in SCALERS:
            raise UserError(
                f"Expected scaling to be one of {listed([*SCALERS])}. Received: scaling={self.scaling!r}"
            )
        return SCALERS[self.scaling]().fit_transform(rows)

    def _names(self) -> np.ndarray:
        unnamed = [f"x{feature}" for feature in range(self.n_features_in_)]
        return np.asarray(getattr(self, "feature_names_in_", unnamed), dtype=object)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.ranking_ == 1
