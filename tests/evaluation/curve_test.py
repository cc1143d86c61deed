from tffs.evaluation.curve import suggested


def test_the_suggestion_is_the_first_number_that_leaves_a_tenth_of_what_can_be_gained():
    assert suggested([1.0, 0.5, 0.2, 0.1, 0.05, 0.0]) == 3
    assert suggested([1.0, 0.6, 0.56, 0.5]) == 3


def test_features_that_tell_nothing_do_not_change_the_suggestion():
    assert suggested([1.0, 0.4, 0.05]) == suggested([1.0, 0.4, 0.05, *[0.04] * 50]) == 2


def test_an_error_that_nothing_lowers_and_a_lack_of_features_have_an_answer():
    assert suggested([0.3, 0.3, 0.3]) == 1
    assert suggested([0.3]) == 0


def test_a_curve_that_rises_again_is_read_from_its_lowest_point():
    assert suggested([1.0, 0.2, 0.0, 0.1]) == 2
