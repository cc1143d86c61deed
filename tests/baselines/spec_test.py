import warnings

import numpy as np
import pytest
from skfeature.function.similarity_based.SPEC import spec

from tffs.baselines.laplacian_score import laplacian_score
from tffs.baselines.spec import spec_ranking, spec_score


def by_eigenvectors(rows):
    """The definition: the sum over all eigenvectors but the trivial one, a feature at a time."""
    graph = np.array([[np.exp(-((a - b) ** 2).sum()) for b in rows] for a in rows])
    root = np.sqrt(graph.sum(axis=1))
    values, vectors = np.linalg.eigh(np.eye(len(rows)) - graph / np.outer(root, root))
    scores = []
    for feature in rows.T:
        weighted = root * feature / np.linalg.norm(root * feature)
        cosines = weighted @ vectors
        scores.append((cosines[1:] ** 2 @ values[1:]) / (1 - cosines[0] ** 2))
    return np.array(scores)


def two_clusters(rng):
    rows = 0.3 * rng.normal(size=(40, 8))
    rows[20:, [3, 6]] += 3.0
    return rows


@pytest.mark.parametrize("num_rows", [2, 6, 40])
@pytest.mark.parametrize("scale", [0.1, 0.5, 1.0])
def test_scores_are_those_of_the_library(rng, num_rows, scale):
    rows = scale * rng.normal(size=(num_rows, 7))
    np.testing.assert_allclose(spec_score(rows), spec(rows, mode="raw", style=0), rtol=1e-8)
    rows[-1] = rows[0] + (num_rows == 2)
    rows[:, 2] = 0.0
    scores = spec_score(rows)
    np.testing.assert_allclose(scores, spec(rows, mode="raw", style=0), rtol=1e-8)
    assert scores[2] == 1000.0
    assert np.delete(scores, 2).max() <= 2.0


@pytest.mark.parametrize("num_rows", [6, 40])
def test_the_librarys_order_is_the_librarys(rng, num_rows):
    rows = rng.normal(size=(num_rows, 12)) * np.linspace(0.1, 0.6, 12)
    rows[:, 5] = 0.0
    expected = spec(rows, mode="index", style=0)
    assert expected[0] == 5
    np.testing.assert_array_equal(spec_ranking(rows, "library"), expected)


@pytest.mark.parametrize("num_rows", [2, 5, 30])
def test_scores_are_the_sum_over_eigenvectors(rng, num_rows):
    rows = 0.4 * rng.normal(size=(num_rows, 6)) + 0.2
    np.testing.assert_allclose(spec_score(rows), by_eigenvectors(rows), rtol=1e-8)


def test_it_is_the_laplacian_score_where_every_row_is_a_neighbour(rng):
    rows = 0.5 * rng.normal(size=(15, 6))
    np.testing.assert_allclose(spec_score(rows), laplacian_score(rows, 14, np.sqrt(0.5)), rtol=1e-12)


def test_features_that_separate_clusters_are_first_when_corrected_and_last_in_the_library(rng):
    rows = two_clusters(rng)
    assert set(spec_ranking(rows, "corrected")[:2]) == {3, 6}
    assert set(spec_ranking(rows, "library")[-2:]) == {3, 6}
    assert set(spec(rows, mode="index", style=0)[-2:]) == {3, 6}


def test_a_copy_scores_like_its_original(rng):
    rows = two_clusters(rng)
    rows[:, 7] = rows[:, 3]
    scores = spec_score(rows)
    np.testing.assert_allclose(scores[7], scores[3], rtol=1e-12)
    assert scores[7] < scores[[0, 1, 2, 4, 5]].min()


@pytest.mark.parametrize("value", [0.0, 0.1, 1.0, 3.0, 1e6])
def test_constant_columns_are_last_when_corrected_and_first_in_the_library(rng, value):
    rows = two_clusters(rng)
    rows[:, [1, 4]] = value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(spec_score(rows)[[1, 4]], [1000.0, 1000.0])
        np.testing.assert_array_equal(spec_ranking(rows, "corrected")[-2:], [1, 4])
        assert set(spec_ranking(rows, "library")[:2]) == {1, 4}


def test_many_columns_that_tie_stay_in_their_order_or_as_the_library_leaves_them(rng):
    rows = np.zeros((10, 400))
    rows[:, 100] = rng.normal(size=10)
    others = list(np.delete(np.arange(400), 100))
    np.testing.assert_array_equal(spec_ranking(rows, "corrected"), [100, *others])
    np.testing.assert_array_equal(spec_ranking(rows, "library"), spec(rows, mode="index", style=0))


def test_a_column_that_varies_a_little_around_a_large_value_is_not_constant(rng):
    rows = two_clusters(rng)
    expected = spec_score(rows)
    rows[:, 2] += 1e6
    np.testing.assert_allclose(spec_score(rows), expected, rtol=1e-6)


def test_rows_far_from_one_another_keep_the_order_that_rounding_would_hide(rng):
    rows = rng.normal(size=(20, 40))
    rows[10:, 7] += 8.0
    scores = spec_score(rows)
    assert 0 < scores.max() < 1e-10
    assert spec_ranking(rows, "corrected")[0] == 7


def test_identical_rows_rank_in_their_order_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(spec_ranking(np.full((5, 4), 0.1), "corrected"), np.arange(4))
        assert sorted(spec_ranking(np.full((5, 4), 0.1), "library")) == [0, 1, 2, 3]


def test_the_number_type_does_not_matter(rng):
    rows = rng.integers(0, 3, size=(20, 4))
    expected = spec_score(rows.astype(np.float64))
    np.testing.assert_array_equal(spec_score(rows), expected)
    np.testing.assert_array_equal(spec_score(rows.astype(np.float32)), expected)


@pytest.mark.parametrize("shape", [(1, 3), (0, 3), (3,)])
def test_fewer_than_two_rows_are_refused(shape):
    with pytest.raises(ValueError, match="at least two rows.*Received"):
        spec_score(np.zeros(shape))


def test_an_unknown_order_is_refused():
    with pytest.raises(ValueError, match="'library', 'corrected'.*Received: order='best'"):
        spec_ranking(np.zeros((3, 2)), "best")
