"""What scikit-learn 1.5 and later releases name differently."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn 1.5: a method of the estimator
    validate_data = None


def validated(
    estimator: BaseEstimator, X: Any, *, reset: bool, allow_nan: bool = False, min_samples: int = 1
) -> np.ndarray:
    """Check rows as scikit-learn does, and its `n_features_in_` and `feature_names_in_`.

    Sparse, complex and infinite values are refused in scikit-learn's words.

    Args:
        estimator: whose rows they are.
        X: [rows, features], an array, a DataFrame or lists.
        reset: set the number and the names of the features, as `fit` does; else compare them.
        allow_nan: NaN may stand for missing values.
        min_samples: how many rows are needed.

    Returns:
        float64 or, if X is so, float32 [rows, features].
    """
    finite = "allow-nan" if allow_nan else True
    checks: dict[str, Any] = {"dtype": [np.float64, np.float32], "ensure_min_samples": min_samples}
    if validate_data is None:
        return estimator._validate_data(X, reset=reset, force_all_finite=finite, **checks)
    return validate_data(estimator, X, reset=reset, ensure_all_finite=finite, **checks)


class NanTag:
    """Tell scikit-learn whether an estimator takes NaN. Inherit from it before the mixins of scikit-learn."""

    def _allows_nan(self) -> bool:
        """Say whether NaN may stand for missing values."""
        return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = self._allows_nan()
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """Say the same to scikit-learn 1.5."""
        return {"allow_nan": self._allows_nan()}
