"""What speaks against a model, and what decides."""

import pytest

from pipelines.blessing import ENOUGH, Evidence, Standing, objections
from pipelines.configs import Bars
from pipelines.evaluation_report import reasons
from pipelines.left_out import LeftOut


def _figures(**tasks):
    """Make the figures of tasks: error, coverage, and how many features are distinct."""
    return {
        task: {"msre": error, "relative_error": error, "coverage": coverage, "distinct": distinct, "rows": 9}
        for task, (error, coverage, distinct) in tasks.items()
    }


def _left_out(*errors, coverage=0.9, exam="these rows", error_of_mean=2.0):
    tasks = [
        {
            "task": f"s{place}",
            "rows": 9,
            "relative_error": error,
            "coverage": coverage,
            "error_of_mean": error_of_mean,
        }
        for place, error in enumerate(errors)
    ]
    return LeftOut(exam, {"tasks": tasks})


def _held_out(*errors, coverage=0.9):
    return _figures(**{f"h{place}": (error, coverage, 3) for place, error in enumerate(errors)})


ODD = _held_out(3.0, coverage=0.2)  # one held-out task, which is unlike the others
SOURCE = _left_out(0.4, 0.5, 0.6)


def test_nothing_speaks_against_a_model_at_the_bars():
    figures = _figures(u=(0.5, 0.9, 3), v=(0.9, 0.8, 5))
    bars = Bars(max_relative_error=0.7, min_distinct=4.0, min_coverage=0.85)
    assert objections(Evidence(figures, None), None, bars) == []
    assert objections(Evidence(figures, None), Evidence(figures, None), bars) == []


def test_one_held_out_task_does_not_decide_where_source_tasks_were_left_out():
    bars = Bars(max_relative_error=0.6, min_coverage=0.7)
    assert objections(Evidence(ODD, SOURCE), None, bars) == []
    assert len(objections(Evidence(ODD, None), None, bars)) == 2
    assert Standing.on(Evidence(ODD, SOURCE).deciding) == (4, pytest.approx(0.55), pytest.approx(0.725))


def test_the_median_over_all_these_tasks_must_reach_the_bar():
    assert objections(Evidence(ODD, SOURCE), None, Bars(max_relative_error=0.5, min_coverage=0.0)) == [
        "its median error over 1 task held out and 3 source tasks left out in turn is 0.55 of the mean's, "
        "above the bar of 0.5"
    ]


def test_enough_held_out_tasks_decide_alone():
    few, enough = _held_out(*[0.9] * (ENOUGH - 1)), _held_out(*[0.9] * ENOUGH)
    easy = _left_out(*[0.1] * 20)
    assert objections(Evidence(few, easy), None, Bars(max_relative_error=0.5)) == []
    assert objections(Evidence(enough, easy), None, Bars(max_relative_error=0.5)) == [
        "its median error over 5 tasks held out is 0.9 of the mean's, above the bar of 0.5"
    ]


def test_an_error_that_is_no_number_is_not_left_out_of_the_median():
    held_out = _held_out(0.5)
    assert objections(Evidence(held_out, _left_out(0.5, None)), None, Bars()) == [
        "on s1, a source task left out in turn, its error is not a finite number"
    ]
    still = _left_out(None, error_of_mean=0.0)  # the mean makes no error there, so nothing is a share of it
    assert objections(Evidence(held_out, still), None, Bars()) == []


def test_broken_intervals_are_not_blessed():
    narrow = _held_out(0.5, 0.5, coverage=0.59)  # what intervals of half the width cover
    assert objections(Evidence(narrow, _left_out(0.5, coverage=0.59)), None, Bars()) == [
        "its 90 % intervals cover 0.59 of the values over 2 tasks held out and 1 source task left out in turn, "
        "below the bar of 0.7"
    ]


def test_coverage_does_not_apply_to_a_model_without_intervals():
    network = Evidence(_held_out(0.5, 0.6, coverage=None), None)
    assert objections(network, None, Bars(min_coverage=1.0)) == []
    posterior = Evidence(_held_out(0.5, 0.6), SOURCE)
    assert objections(network, posterior, Bars()) == []
    said = reasons(network, posterior, Bars())
    assert said[0].endswith("it gives no intervals, so coverage does not apply.")
    assert said[1].endswith("equal to that one's 55.0 %; only that one gives intervals.")
    assert objections(posterior, network, Bars()) == []
    assert reasons(posterior, network, Bars())[1].endswith("; only this model gives intervals.")


def test_an_error_that_is_no_number_does_not_pass():
    nan = float("nan")
    assert "on h0 its MSRE is nan" in objections(Evidence(_held_out(nan), SOURCE), None, Bars())
    assert len(objections(Evidence(_held_out(nan), None), None, Bars())) == 2


def test_a_task_on_which_the_mean_makes_no_error_has_no_bar():
    figures = _figures(u=(0.0, None, 3))
    figures["u"]["relative_error"] = None
    alone = Evidence(figures, None)
    assert objections(alone, alone, Bars(max_relative_error=0.1)) == []
    assert "cannot be compared" in reasons(alone, alone, Bars())[1]


def test_distinct_features_count_on_average():
    assert objections(
        Evidence(_figures(u=(0.5, 0.9, 3), v=(0.5, 0.9, 5)), None), None, Bars(min_distinct=4.5)
    ) == ["it chooses 4 distinct features, below the bar of 4.5"]


def test_models_are_compared_by_the_median_over_the_same_tasks():
    last = Evidence(_held_out(0.3, 0.3, 9.0), None)  # the mean would say otherwise
    now = Evidence(_held_out(0.4, 0.4, 0.4), None)
    assert objections(now, last, Bars()) == [
        "its median error of 0.4 over 3 tasks held out is above the 0.3 of the model last blessed"
    ]
    assert objections(last, now, Bars()) == []
    assert objections(now, last, Bars(max_regression=0.35)) == []
    assert objections(now, last, Bars(max_regression=0.2))[0].endswith(
        "of the model last blessed and 0.2 of that more"
    )


def test_source_tasks_whose_rows_are_as_they_were_count_in_the_comparison():
    last = Evidence(_held_out(0.30), _left_out(0.5, 0.5, 0.5))
    unlucky = Evidence(_held_out(0.35), _left_out(0.4, 0.4, 0.4))
    assert objections(unlucky, last, Bars()) == []  # worse on the one held-out task alone
    assert objections(last, unlucky, Bars()) == [
        "its median error of 0.5 over 1 task held out and 3 source tasks left out in turn is above the 0.4 of "
        "the model last blessed"
    ]


def test_where_rows_have_changed_a_model_is_worse_if_it_is_on_both_kinds_of_tasks():
    last = Evidence(_held_out(0.30), _left_out(0.5, 0.5, 0.5, exam="rows of then"))
    harder_rows = Evidence(_held_out(0.29), _left_out(0.6, 0.6, 0.6))
    unlucky = Evidence(_held_out(0.31), _left_out(0.5, 0.5, 0.5))
    worse = Evidence(_held_out(0.31), _left_out(0.6, 0.6, 0.6))
    assert objections(harder_rows, last, Bars()) == []
    assert objections(unlucky, last, Bars()) == []
    assert objections(worse, last, Bars()) == [
        "its median error of 0.31 over 1 task held out is above the 0.3 of the model last blessed"
    ]
    said = reasons(worse, last, Bars())
    assert (
        "on 3 source tasks left out in turn, on other rows or supports than then: median error 60.0 %"
        in said[2]
    )
    assert said[3] == "As these differ, a model is worse than the one last blessed only if it is on both."


def test_intervals_may_not_miss_their_share_by_much_more_than_before():
    good, wide, narrow = (Evidence(_held_out(0.5, coverage=share), None) for share in (0.9, 0.99, 0.84))
    assert objections(good, wide, Bars()) == []  # 90 % is what they are to cover
    assert objections(narrow, wide, Bars()) == [
        "its 90 % intervals cover 0.84 of the values over 1 task held out, and those of the model last blessed "
        "0.99: more than 0.05 is lost"
    ]
    assert objections(narrow, good, Bars(max_coverage_loss=0.1)) == []


def test_errors_that_differ_by_rounding_are_the_same():
    last, now = Evidence(_held_out(0.5), None), Evidence(_held_out(0.5 + 1e-6), None)
    assert objections(now, last, Bars()) == []
