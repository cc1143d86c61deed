"""Components of the rows about their tasks' means."""

import numpy as np
import pytest

from tests.posterior.small import CLUSTERS, FEATURES, rows_of_clusters, rows_of_tasks, source_of_tasks
from tffs.data import sums
from tffs.posterior.mixture import Mixed, components_of, possible
from tffs.posterior.prior import prior_of


def components(x, count):
    source = source_of_tasks(x)
    return components_of([Mixed(source, np.ones(FEATURES), prior_of(source, 0.9))], count, seed=0)[0]


def test_clusters_that_lie_apart_are_found_with_their_counts_and_covariances():
    x, cluster = rows_of_clusters(which=True)
    found = components(x, CLUSTERS)
    about = (x - x.mean(axis=1, keepdims=True)).reshape(-1, FEATURES).astype(np.float64)
    cluster = cluster.reshape(-1)
    shrink = prior_of(source_of_tasks(x), 0.9).shrink
    for number in range(CLUSTERS):
        here = about[cluster == number]
        place = np.square(found.centres - here.mean(axis=0)).sum(axis=1).argmin()
        np.testing.assert_allclose(found.counts[place], len(here), rtol=1e-3)
        np.testing.assert_allclose(found.centres[place], here.mean(axis=0), atol=1e-3)
        expected = np.cov(here.T, bias=True) * (1.0 - shrink)
        np.fill_diagonal(expected, here.var(axis=0))
        np.testing.assert_allclose(found.covariances[place], expected, atol=1e-3)
    assert found.counts.sum() == pytest.approx(len(about))


def test_the_pooled_covariance_is_about_the_centres():
    x = rows_of_clusters()
    pooled = np.trace(components(x, CLUSTERS).pooled)
    about = (x - x.mean(axis=1, keepdims=True)).reshape(-1, FEATURES)
    assert pooled < 0.3 * np.trace(np.cov(about.T))


def test_components_do_not_depend_on_the_blocks_that_rows_are_read_in(monkeypatch):
    x = rows_of_clusters()
    whole = components(x, CLUSTERS)
    monkeypatch.setattr(sums, "BLOCK_BYTES", 8 * FEATURES * 7)
    small = components(x, CLUSTERS)
    np.testing.assert_allclose(small.centres, whole.centres, atol=1e-6)
    np.testing.assert_allclose(small.covariances, whole.covariances, atol=1e-6)


def test_a_component_is_asked_for_only_where_rows_and_memory_allow(monkeypatch):
    source = source_of_tasks(rows_of_tasks(tasks=2, rows=20))
    assert possible(source, 8)
    assert not possible(source, 9)  # fewer than five rows each
    monkeypatch.setattr("tffs.posterior.mixture.MOST_NUMBERS", 8 * FEATURES**2 - 1)
    assert not possible(source, 8)


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_equal_rows_give_components_all_the_same():
    x = np.tile(rows_of_tasks(tasks=3, rows=1), (1, 30, 1))
    found = components(x, 2)
    for matrix in (found.pooled, *found.covariances):
        assert np.linalg.eigvalsh(matrix).min() > 0
