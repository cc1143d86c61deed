import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from tffs.data import source_statistics
from tffs.data.source_statistics import SourceStatistics
from tffs.layers import Scaling


def scaled(statistics, method, rows, impute=False):
    layer = Scaling(impute=impute)
    layer.build((None, rows.shape[1]))
    layer.learn(*statistics.offset_and_width(method), statistics.median)
    return np.asarray(layer(rows))


@pytest.fixture
def matrix(rng):
    x = rng.normal(size=(500, 6), scale=[1, 10, 0.1, 5, 1, 1], loc=[0, 100, 0, -3, 1, 0]).astype(np.float32)
    x[:, 4] = 7.5  # constant
    return x


@pytest.mark.parametrize(("method", "sklearn"), [("minmax", MinMaxScaler()), ("standard", StandardScaler())])
def test_scaling_is_scikit_learns_and_looks_at_source_rows_only(matrix, method, sklearn, monkeypatch):
    monkeypatch.setattr(source_statistics, "BLOCK_BYTES", 240)
    source = np.arange(0, 500, 2)
    expected = sklearn.fit(matrix[source]).transform(matrix)
    expected[:, 4] = 0.0
    matrix_with_outliers = matrix.copy()
    matrix_with_outliers[1::2] *= 1000
    statistics = SourceStatistics.of(matrix_with_outliers, source, medians=False)
    np.testing.assert_allclose(scaled(statistics, method, matrix), expected, atol=2e-5)


def test_none_changes_nothing(matrix):
    statistics = SourceStatistics.of(matrix, np.arange(500), medians=False)
    np.testing.assert_array_equal(scaled(statistics, "none", matrix), matrix)


@pytest.mark.parametrize("block", [64, 2**20])
def test_medians_are_scikit_learns_and_are_filled_in_before_scaling(matrix, rng, monkeypatch, block):
    monkeypatch.setattr(source_statistics, "BLOCK_BYTES", block)
    matrix[rng.random(matrix.shape) < 0.2] = np.nan
    source = np.arange(100, 333)
    imputer = SimpleImputer(strategy="median").fit(matrix[source])
    statistics = SourceStatistics.of(matrix, source, medians=True)
    np.testing.assert_allclose(statistics.median, imputer.statistics_, rtol=1e-6)
    expected = StandardScaler().fit(imputer.transform(matrix[source])).transform(imputer.transform(matrix))
    expected[:, 4] = 0.0
    np.testing.assert_allclose(scaled(statistics, "standard", matrix, impute=True), expected, atol=2e-5)


def test_a_feature_without_a_value_has_no_median(matrix):
    matrix[:, 2] = np.nan
    statistics = SourceStatistics.of(matrix, np.arange(10), medians=True)
    assert np.flatnonzero(np.isnan(statistics.median)).tolist() == [2]


@pytest.mark.parametrize(
    ("low", "high", "method", "activation"),
    [
        (0, 1, "none", "sigmoid"),
        (-1, 1, "none", "tanh"),
        (-1, 1.1, "none", "linear"),
        (0, 9, "none", "linear"),
        (-50, 900, "minmax", "sigmoid"),
        (0, 1, "standard", "linear"),
    ],
)
def test_the_activation_follows_the_scaling(low, high, method, activation):
    matrix = np.array([[low, 0.5], [high, 0.5]], np.float32)
    assert SourceStatistics.of(matrix, np.arange(2), medians=False).activation(method) == activation


def test_features_that_outliers_squeeze_are_found(rng):
    matrix = rng.normal(size=(1000, 3)).astype(np.float32)
    matrix[0, 1] = 100.0
    assert SourceStatistics.of(matrix, np.arange(1000), medians=False).squeezed() == [1]
