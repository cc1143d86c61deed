"""The order of features."""

import random

from pipelines.columns import feature_order, natural_order
from tests.pipelines import tiny


def test_features_are_ordered_by_name_with_numbers_by_value():
    assert feature_order(["f10", "f2", "f1", "e99"]) == ["e99", "f1", "f2", "f10"]
    assert feature_order(["2", "10", "x", "1"]) == ["1", "2", "10", "x"]


def test_the_order_does_not_depend_on_that_of_the_columns():
    names = list(tiny.NAMES)
    for seed in range(5):
        random.Random(seed).shuffle(names)
        assert tuple(feature_order(names)) == tiny.ORDER


def test_task_and_label_are_no_features():
    assert feature_order(["task", "b", "label", "a"]) == ["a", "b"]
    assert natural_order(["label", "19", "7"]) == ["7", "19", "label"]


def test_names_that_differ_in_zeros_only_have_an_order_of_their_own():
    assert feature_order(["f01", "f1"]) == feature_order(["f1", "f01"])
