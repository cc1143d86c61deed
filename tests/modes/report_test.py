import pytest

from tffs.modes.report import report
from tffs.workdir import Workdir

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
    page = report(result(random=random, variance=variance), Workdir(str(tmp_path)))
    assert ("worth using as it is" in page) == (verdict is not None)
    assert verdict is None or verdict in page


def test_names_with_commas_can_be_told_apart(tmp_path):
    assert "  load, avg; x\n" in report(result(), Workdir(str(tmp_path)))
