import math
import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import jaccard_score

from tffs.evaluation.statistics import (
    comparable_to_best,
    mean_and_deviation,
    mean_jaccard,
    paired_t_test,
    standard_error,
)


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_mean_and_deviation_are_those_of_a_sample():
    assert mean_and_deviation([1.0, 2.0, 6.0]) == (3.0, pytest.approx(math.sqrt(7.0)))


def test_one_value_has_a_mean_and_no_deviation():
    mean, deviation = mean_and_deviation([4.0])
    assert mean == 4.0
    assert math.isnan(deviation)
    assert math.isnan(standard_error([4.0]))


def test_standard_error_is_scipys(rng):
    values = rng.normal(size=17)
    assert standard_error(values) == pytest.approx(float(stats.sem(values)))


def test_paired_t_test_is_the_one_sample_test_of_the_differences(rng):
    a, b = rng.normal(size=(2, 12))
    assert paired_t_test(a, b + 0.5) == pytest.approx(stats.ttest_1samp(a - b - 0.5, 0.0).pvalue)
    assert paired_t_test(a, b) == paired_t_test(b, a)


def test_paired_t_test_agrees_with_its_formula():
    differences = np.array([0.1, 0.3, 0.2, 0.4])
    t = differences.mean() / (differences.std(ddof=1) / 2.0)
    assert paired_t_test(differences + 1.0, np.ones(4)) == pytest.approx(2.0 * stats.t.sf(t, df=3))


@pytest.mark.parametrize(
    ("a", "b", "p"),
    [
        ([], [], 1.0),
        ([1.0], [2.0], 1.0),
        ([1.0, 2.0], [1.0, 2.0], 1.0),
        ([0.0, 0.0], [0.0, 0.0], 1.0),
        ([2.0, 3.0], [1.0, 2.0], 0.0),
        ([1.1, 2.1, 0.3], [1.0, 2.0, 0.2], 0.0),  # the same but for rounding
    ],
)
def test_pairs_that_leave_nothing_to_test_have_a_plain_answer(a, b, p):
    assert paired_t_test(a, b) == p


def test_unpaired_values_are_refused():
    with pytest.raises(ValueError, match="3 and 2"):
        paired_t_test([1.0, 2.0, 3.0], [1.0, 2.0])


def test_best_and_what_cannot_be_told_from_it_are_comparable(rng):
    cells = range(30)
    level = rng.normal(scale=5.0, size=30)
    values = {
        "best": {cell: level[cell] + rng.normal() for cell in cells},
        "near": {cell: level[cell] + rng.normal() for cell in cells},
        "worse": {cell: level[cell] + 2.0 + rng.normal() for cell in cells},
    }
    assert comparable_to_best(values, lower_is_better=True) == {"best", "near"}
    assert comparable_to_best(values, lower_is_better=False) == {"worse"}


def test_only_cells_that_all_methods_have_decide():
    ours = {"easy": 1.0, "hard": 9.0, "harder": 10.0}  # its mean over its own cells is the lower one
    other = {"hard": 8.0, "harder": 9.0}
    assert comparable_to_best({"ours": ours, "other": other}, lower_is_better=True) == {"other"}


def test_nothing_shared_leaves_nothing_to_print_bold():
    assert comparable_to_best({"a": {1: 1.0}, "b": {2: 1.0}}, lower_is_better=True) == set()
    assert comparable_to_best({}, lower_is_better=True) == set()


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
