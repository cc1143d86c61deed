"""Features that are chosen in each other's place are found."""

from tffs.evaluation.left_out.swaps import swaps

NAMES = ["a", "b", "c", "d"]


def test_two_features_of_which_choices_take_just_one_are_a_pair():
    choices = [[0, 1]] * 6 + [[0, 2]] * 4
    assert swaps(choices, NAMES) == [
        {"feature": "b", "other": "c", "only_feature": 0.6, "only_other": 0.4, "both": 0.0}
    ]


def test_features_that_come_together_or_always_are_no_pair():
    found = swaps([[0, 1]] * 5 + [[2, 3]] * 5, NAMES)
    pairs = {frozenset((pair["feature"], pair["other"])) for pair in found}
    assert pairs == {frozenset(pair) for pair in ("ac", "ad", "bc", "bd")}
    assert swaps([[0, 1]] * 10, NAMES) == []


def test_independent_choices_are_no_pairs():
    assert swaps([[], [0], [1], [0, 1]] * 10, NAMES) == []
