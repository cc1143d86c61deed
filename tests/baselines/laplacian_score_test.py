import warnings

import numpy as np
import pytest
from skfeature.function.similarity_based.lap_score import lap_score
from skfeature.utility.construct_W import construct_W

from tffs.baselines.laplacian_score import laplacian_ranking, laplacian_score


def library_graph(rows, neighbours, heat):
    options = {"metric": "euclidean", "neighbor_mode": "knn", "weight_mode": "heat_kernel"}
    return construct_W(rows, k=neighbours, t=heat, **options)


def score_on(graph, rows):
    """The definition: f'Lf / f'Df after the D-weighted mean is removed, a feature at a time."""
    degree = np.diag(graph.sum(axis=1))
    scores = []
    for feature in rows.T:
        feature = feature - feature @ degree.sum(axis=1) / degree.sum()
        variance = feature @ degree @ feature
        scores.append(feature @ (degree - graph) @ feature / variance if variance >= 1e-12 else 1.0)
    return np.array(scores)


def naive_graph(rows, neighbours, heat):
    """Every row with itself and its nearest, and an edge where either end has one."""
    graph = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        distances = ((rows - row) ** 2).sum(axis=1)
        for j in np.argsort(distances, kind="stable")[: neighbours + 1]:
            graph[i, j] = graph[j, i] = np.exp(-distances[j] / (2 * heat**2))
    return graph


def samples(rng):
    """Data with 6 and 40 rows: plain, with constant columns, and with a row twice."""
    for num_rows in (6, 40):
        plain = rng.normal(size=(num_rows, 7))
        constant = plain.copy()
        constant[:, [2, 5]] = (0.0, 0.5)
        twice = plain.copy()
        twice[4] = twice[1]
        yield from (plain, constant, twice)


@pytest.mark.parametrize("heat", [0.5, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("neighbours", [1, 3, 5])
def test_scores_and_ranking_are_those_of_the_library(rng, neighbours, heat):
    for rows in samples(rng):
        graph = library_graph(rows, neighbours, heat)
        scores = laplacian_score(rows, neighbours, heat)
        np.testing.assert_allclose(scores, score_on(graph.toarray(), rows), rtol=1e-9)
        # The library's sort is not stable, so of columns that tie only the scores can be compared.
        ranking = lap_score(rows, mode="index", W=graph)
        np.testing.assert_allclose(
            scores[laplacian_ranking(rows, neighbours, heat)], scores[ranking], rtol=1e-9
        )
        assert sorted(laplacian_ranking(rows, neighbours, heat)) == list(range(7))


def test_ranking_is_the_librarys_where_no_scores_tie(rng):
    rows = rng.normal(size=(40, 30)) * np.linspace(0.2, 1.0, 30)
    expected = lap_score(rows, mode="index", W=library_graph(rows, 5, 1.0))
    np.testing.assert_array_equal(laplacian_ranking(rows, 5, 1.0), expected)


def test_scores_by_hand():
    # Row 1 is nearest to both others, so the edges are 0-1 and 1-2.
    near, far = np.exp(-1 / 2), np.exp(-4 / 2)
    degree = np.array([1 + near, 1 + near + far, 1 + far])
    feature = np.array([0.0, 1.0, 3.0])
    variance = degree @ feature**2 - (degree @ feature) ** 2 / degree.sum()
    expected = (near * 1.0**2 + far * 2.0**2) / variance
    np.testing.assert_allclose(laplacian_score(feature[:, None], 1, 1.0), [expected], rtol=1e-12)


def test_more_rows_than_a_batch_are_scored_alike(rng):
    # Whole numbers tie often; of rows equally far the first is taken.
    rows = rng.integers(0, 3, size=(1100, 5)).astype(np.float64)
    np.testing.assert_allclose(laplacian_score(rows, 3, 1.0), score_on(naive_graph(rows, 3, 1.0), rows))


def test_features_that_separate_clusters_come_first(rng):
    rows = 0.3 * rng.normal(size=(40, 8))
    rows[20:, [3, 6]] += 3.0
    assert set(laplacian_ranking(rows, 5, 1.0)[:2]) == {3, 6}


def test_a_copy_scores_like_its_original_and_follows_it(rng):
    rows = rng.normal(size=(12, 5))
    rows[:, 4] = rows[:, 1]
    scores, ranking = laplacian_score(rows, 3, 1.0), list(laplacian_ranking(rows, 3, 1.0))
    assert scores[4] == scores[1]
    assert ranking.index(4) == ranking.index(1) + 1


def test_scores_change_neither_with_a_columns_offset_nor_with_the_number_type(rng):
    rows = rng.integers(0, 9, size=(20, 4))
    expected = laplacian_score(rows.astype(np.float64), 3, 2.0)
    np.testing.assert_array_equal(laplacian_score(rows, 3, 2.0), expected)
    np.testing.assert_array_equal(laplacian_score(rows.astype(np.float32), 3, 2.0), expected)
    np.testing.assert_allclose(
        laplacian_score(rows + np.array([0.0, 1e6, -1e6, 5.0]), 3, 2.0), expected, rtol=1e-9
    )


def test_two_rows_give_every_column_that_varies_the_same_score(rng):
    rows = rng.normal(size=(2, 4))
    rows[:, 2] = 0.7
    weight = np.exp(-((rows[0] - rows[1]) ** 2).sum() / 2)
    same = 2 * weight / (1 + weight)
    np.testing.assert_allclose(laplacian_score(rows, 1, 1.0), [same, same, 1.0, same], rtol=1e-12)


def test_small_heat_keeps_the_order_that_rounding_would_hide(rng):
    rows = 0.2 * rng.normal(size=(20, 4))
    rows[10:, 2] += 3.0
    scores = laplacian_score(rows, 3, 0.01)
    # Beside the rows' own weight of 1 the library would lose these.
    assert 0 < scores.max() < 1e-16
    assert laplacian_ranking(rows, 3, 0.01)[0] == 2


def test_many_columns_that_tie_stay_in_their_order(rng):
    rows = np.zeros((10, 400))
    rows[:, 100] = np.repeat([0.0, 5.0], 5) + 0.1 * rng.normal(size=10)
    ranking = laplacian_ranking(rows, 3, 1.0)
    np.testing.assert_array_equal(ranking, [100, *np.delete(np.arange(400), 100)])


@pytest.mark.parametrize("value", [0.0, 0.1, 1e6])
def test_identical_rows_rank_in_their_order_without_a_warning(value):
    rows = np.full((9, 4), value)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(laplacian_score(rows, 1, 0.1), np.ones(4))
        np.testing.assert_array_equal(laplacian_ranking(rows, 1, 0.1), np.arange(4))


@pytest.mark.parametrize("neighbours", [0, -1, 4, 5])
def test_neighbours_that_rows_cannot_have_are_refused(neighbours):
    with pytest.raises(ValueError, match=f"fewer than.*Received.*4, 2.*neighbours={neighbours}"):
        laplacian_score(np.zeros((4, 2)), neighbours, 1.0)


@pytest.mark.parametrize("heat", [0.0, -1.0, float("nan")])
def test_heat_that_is_not_positive_is_refused(heat):
    with pytest.raises(ValueError, match=f"positive heat.*heat={heat}"):
        laplacian_score(np.zeros((4, 2)), 1, heat)


def test_a_single_column_without_its_axis_is_refused():
    with pytest.raises(ValueError, match="rows, features"):
        laplacian_ranking(np.zeros(4), 1, 1.0)
