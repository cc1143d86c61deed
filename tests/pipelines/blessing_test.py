"""What speaks against a model."""

from pipelines.blessing import objections
from pipelines.configs import Bars


def _figures(**tasks):
    return {
        task: {"msre": msre, "relative_error": relative, "distinct": distinct}
        for task, (msre, relative, distinct) in tasks.items()
    }


GOOD = _figures(u=(2.0, 0.5, 3), v=(4.0, 0.9, 5))


def test_nothing_speaks_against_a_model_at_the_bars():
    bars = Bars(max_relative_error=0.9, min_distinct=4.0)
    assert objections(GOOD, None, bars) == []
    assert objections(GOOD, GOOD, bars) == []


def test_every_task_must_reach_the_bar_of_the_error():
    assert objections(GOOD, None, Bars(max_relative_error=0.8)) == [
        "on v its error is 0.9 of the mean's, above the bar of 0.8"
    ]


def test_an_error_that_is_no_number_does_not_pass():
    assert len(objections(_figures(u=(float("nan"), float("nan"), 3)), None, Bars())) == 1
    assert "on u its MSRE is nan" in objections(_figures(u=(float("nan"), None, 3)), None, Bars())
    assert len(objections(_figures(u=(2.0, float("nan"), 3)), None, Bars())) == 1


def test_a_task_on_which_the_mean_makes_no_error_has_no_bar():
    assert objections(_figures(u=(0.0, None, 3)), None, Bars(max_relative_error=0.1)) == []


def test_distinct_features_count_on_average():
    assert objections(GOOD, None, Bars(min_distinct=4.5)) == [
        "it chooses 4 distinct features, below the bar of 4.5"
    ]


def test_the_model_last_blessed_is_compared_by_its_mean_error():
    last = _figures(u=(1.0, 0.5, 3), v=(4.5, 0.9, 5))
    assert objections(GOOD, last, Bars()) == ["its MSRE of 3 is above the 2.75 of the model last blessed"]
    assert objections(last, GOOD, Bars()) == []


def test_a_share_of_regression_may_be_allowed():
    last = _figures(u=(2.9, 0.5, 3))
    assert objections(_figures(u=(3.0, 0.5, 3)), last, Bars(max_regression=0.04)) == []
    assert objections(_figures(u=(3.0, 0.5, 3)), last, Bars(max_regression=0.02)) == [
        "its MSRE of 3 is above the 2.9 of the model last blessed and 0.02 of that more"
    ]
