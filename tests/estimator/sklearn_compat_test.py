import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin

from tffs.estimator.sklearn_compat import NanTag, validated


class Estimator(NanTag, TransformerMixin, BaseEstimator):
    def __init__(self, missing="error"):
        self.missing = missing

    def _allows_nan(self):
        return self.missing != "error"


def allows_nan(estimator):
    if hasattr(estimator, "_get_tags"):  # scikit-learn 1.5
        return estimator._get_tags()["allow_nan"]
    return estimator.__sklearn_tags__().input_tags.allow_nan


@pytest.mark.parametrize(
    ("given", "expected"), [("float32", "float32"), ("float64", "float64"), ("int8", "float64")]
)
def test_single_precision_stays_and_all_else_becomes_double(given, expected):
    assert validated(Estimator(), np.ones((3, 2), given), reset=True).dtype == expected


def test_names_are_learned_and_then_compared():
    estimator = Estimator()
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    np.testing.assert_array_equal(validated(estimator, frame, reset=True), [[1, 3], [2, 4]])
    assert list(estimator.feature_names_in_) == ["a", "b"]
    with pytest.raises(ValueError, match="same order"):
        validated(estimator, frame[["b", "a"]], reset=False)


def test_nan_is_refused_unless_it_is_allowed():
    rows = [[1.0, np.nan], [2.0, 3.0]]
    with pytest.raises(ValueError, match="NaN"):
        validated(Estimator(), rows, reset=True)
    assert np.isnan(validated(Estimator(), rows, reset=True, allow_nan=True)).sum() == 1
    with pytest.raises(ValueError, match="infinity"):
        validated(Estimator(), [[np.inf]], reset=True, allow_nan=True)


def test_too_few_rows_and_sparse_rows_are_refused():
    with pytest.raises(ValueError, match="minimum of 2"):
        validated(Estimator(), [[1.0]], reset=True, min_samples=2)
    with pytest.raises(TypeError, match=r"Sparse data was passed.*toarray"):
        validated(Estimator(), csr_array(np.eye(2)), reset=True)


@pytest.mark.parametrize("missing", ["error", "median"])
def test_scikit_learn_is_told_whether_nan_is_allowed(missing):
    assert allows_nan(Estimator(missing)) is (missing == "median")
