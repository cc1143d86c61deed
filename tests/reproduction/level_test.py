import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reproduction import paper
from reproduction.level import Level, level, share_of_draws, standard_errors
from tests.reproduction.made_lines import frame, line

TASK_MEANS = pd.Series([2.0, 3.0, 5.5])


def by_hand(papers, draws):
    """Go through all draws of the tasks, one by one."""
    means = np.array([np.mean(draw) for draw in itertools.product(TASK_MEANS, repeat=draws)])
    return (means >= papers).mean() if papers > TASK_MEANS.mean() else (means <= papers).mean()


@pytest.mark.parametrize("papers", [2.2, 3.1, 3.9, 5.45, 6.0])
def test_the_share_of_draws_is_that_of_all_of_them(papers):
    assert share_of_draws(TASK_MEANS, papers, draws=6) == pytest.approx(by_hand(papers, 6), abs=1e-12)


def test_the_papers_figure_is_met_up_to_its_rounding():
    assert share_of_draws(TASK_MEANS, 5.5004, draws=2) == pytest.approx(1 / 9)
    assert share_of_draws(TASK_MEANS, 5.5006, draws=2) == 0.0


def test_one_task_can_only_be_drawn():
    assert share_of_draws(TASK_MEANS[:1], 2.0) == pytest.approx(1.0)
    assert share_of_draws(TASK_MEANS[:1], 2.1) == 0.0


def test_the_distance_is_in_standard_errors_of_the_difference():
    means = pd.Series([3.0, 4.0, 3.5, 2.0, 4.5, 3.8])
    deviation = np.std(means, ddof=1)
    found = stats.ttest_ind_from_stats(4.258, deviation, paper.SPLITS, np.mean(means), deviation, 6).statistic
    assert standard_errors(means, 4.258) == pytest.approx(found)
    assert standard_errors(means, 2.0) < 0.0


def test_a_level_is_over_whole_splits_and_needs_five():
    cells = [
        line("mnist_r", "ours", split, 2, size, msre=float(split % 3 + 1), target_task=f"task{split % 3}")
        for split in range(6)
        for size in (10, 20)
    ]
    half = line("mnist_r", "ours", 6, 2, 10, msre=100.0, target_task="task0")
    lines = frame(cells, half).set_index(["split", "support_size", "num_selected", "target_task"])["msre"]
    found = level(lines, 3.0)
    assert found.share == pytest.approx(3.0**-20)
    error = np.std([1, 2, 3] * 2, ddof=1) * np.sqrt(1 / 6 + 1 / 20)
    assert found.standard_errors == pytest.approx(1.0 / error)
    assert level(lines[lines.index.get_level_values("split") < 4], 3.0) is None


@pytest.mark.parametrize(
    ("standard_errors", "share", "away", "drawn"),
    [
        (3.174, 5e-8, "3.2 standard errors above", "less than 0.01 %"),
        (-2.371, 0.000777, "2.4 standard errors below", "0.078 %"),
        (-0.2, 0.2712, "0.2 standard errors below", "27 %"),
    ],
)
def test_a_level_in_words(standard_errors, share, away, drawn):
    found = Level(4.258, standard_errors, share)
    assert (found.away, found.drawn) == (away, drawn)
