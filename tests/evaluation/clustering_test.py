import numpy as np

from tffs.evaluation.clustering import cluster_quality


def blobs(rng, spread):
    labels = np.repeat([0, 1, 2], 30)
    centres = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])
    return centres[labels] + spread * rng.normal(size=(90, 2)), labels


def test_separate_classes_are_found(rng):
    rows, labels = blobs(rng, 0.1)
    quality = cluster_quality(rows, labels, 3, seed=0)
    np.testing.assert_allclose(quality, (100.0, 100.0))


def test_features_without_information_are_worth_nothing(rng):
    _, labels = blobs(rng, 0.1)
    quality = cluster_quality(rng.normal(size=(90, 2)), labels, 3, seed=0)
    assert abs(quality.ari) < 10
    assert quality.nmi < 15


def test_figures_are_reproducible(rng):
    rows, labels = blobs(rng, 3.0)
    assert cluster_quality(rows, labels, 3, seed=1) == cluster_quality(rows, labels, 3, seed=1)


def test_fewer_rows_than_clusters_give_none(rng):
    assert cluster_quality(rng.normal(size=(2, 2)), np.array([0, 1]), 3, seed=0) is None
