import pytest

from tffs.modes.printed_result import printed_result
from tffs.workdir import Workdir

CLASSIFIED = {"msre": None, "relative_error": None, "ari": 20.0, "nmi": 30.0, "distinct": 2}
FIGURES = {"msre": 1.0, "relative_error": 0.1, "ari": None, "nmi": None, "distinct": 2}


def result(**yardsticks):
    return {
        **FIGURES,
        "steps": 100,
        "train_seconds": 5.0,
        "steps_per_second": 1000.0,
        "best_step": 50,
        "evaluated_on": "target",
        "target_task": "t",
        "support_size": 3,
        "num_selected": 2,
        "selected": ["load, avg", "x"],
        "yardsticks": {name: {**FIGURES, "msre": msre} for name, msre in yardsticks.items()},
    }


@pytest.mark.parametrize(
    ("random", "variance", "verdict"),
    [
        (2.0, 3.0, None),
        (0.5, 3.0, "Here 2 random features reconstruct better than what tffs chose"),
        (0.5, 0.1, "Here 2 random features and 2 features of highest variance reconstruct better"),
    ],
)
def test_a_model_that_a_yardstick_beats_is_not_recommended(random, variance, verdict, tmp_path):
    page = printed_result(result(random=random, variance=variance), Workdir(str(tmp_path)))
    assert ("worth using as it is" in page) == (verdict is not None)
    assert verdict is None or verdict in page


@pytest.mark.parametrize("scaling", ["minmax", "standard"])
def test_advice_does_not_name_what_the_run_already_has(scaling, tmp_path):
    page = printed_result({**result(random=0.5), "scaling": scaling}, Workdir(str(tmp_path)))
    assert ("try --scaling=standard" in page) == (scaling == "minmax")
    assert "more --steps" in page
    untrained = printed_result(
        {**result(random=0.5), "steps": None, "scaling": scaling}, Workdir(str(tmp_path))
    )
    assert "more --steps" not in untrained


def test_a_method_that_trains_nothing_says_how_long_it_took(tmp_path):
    untrained = {**result(), "steps": None, "best_step": None, "steps_per_second": None}
    assert printed_result(untrained, Workdir(str(tmp_path))).startswith("Fitted in 5 s.\n")


def test_names_with_commas_can_be_told_apart(tmp_path):
    assert "  load, avg; x\n" in printed_result(result(), Workdir(str(tmp_path)))


def classified(accuracy, **yardsticks):
    return {
        **result(),
        **CLASSIFIED,
        "accuracy": accuracy,
        "classes": ["a", "b", "c"],
        "chance": 41.3,
        "yardsticks": {name: {**CLASSIFIED, "accuracy": value} for name, value in yardsticks.items()},
    }


def test_predicted_labels_are_reported_as_accuracy_beside_chance(tmp_path):
    page = printed_result(classified(75.0, random=60.0, variance=70.0, all=90.0), Workdir(str(tmp_path)))
    assert "tffs, 2 features                  75.0 %   20.0   30.0\n" in page
    assert "all features                      90.0 %" in page
    assert "(of 3 classes; always answering the source tasks' commonest class gives 41.3 %" in page
    assert "MSRE" not in page
    assert "worth using" not in page  # all features may be better


def test_a_classifier_that_a_yardstick_beats_is_not_recommended(tmp_path):
    page = printed_result(classified(65.0, random=60.0, variance=70.0, all=90.0), Workdir(str(tmp_path)))
    assert "Here 2 features of highest variance classify better than what tffs chose" in page


def test_without_a_target_the_validation_accuracy_is_reported(tmp_path):
    page = printed_result(
        {**classified(65.0), "evaluated_on": "validation", "distinct": 1.5}, Workdir(str(tmp_path))
    )
    assert "validation accuracy 65.0 % (41.3 % by always answering the commonest class), 1.5 distinct" in page
