import numpy as np
import pytest
from sklearn.metrics import jaccard_score

from tffs.evaluation.stability import mean_jaccard


def test_mean_jaccard_is_scikit_learns_over_all_pairs(rng):
    chosen = rng.random((4, 20)) < 0.4
    expected = np.mean([jaccard_score(chosen[i], chosen[j]) for i in range(4) for j in range(i)])
    assert mean_jaccard([np.flatnonzero(row).tolist() for row in chosen]) == pytest.approx(expected)


def test_repeated_features_count_once_in_the_jaccard_index():
    assert mean_jaccard([("a", "a", "b"), ("b", "a")]) == 1.0
    assert mean_jaccard([(), ()]) == 1.0


def test_fewer_than_two_selections_have_no_jaccard_index():
    assert mean_jaccard([("a",)]) is None
    assert mean_jaccard([]) is None
