import collections

import pytest

from tests.tuning.searching import STEPS, open_trials, search
from tffs.tuning.budget import LEAST_HYPERBAND, budget_of, cost, rungs


def test_random_and_bayesian_searches_train_every_trial_in_full():
    for tuner in ("random", "bayesian"):
        budget = budget_of(tuner, 7, 1000)
        assert (budget.trainings, budget.total_steps, budget.steps_of(1)) == (7, 7000, 1000)


@pytest.mark.parametrize("trials", [LEAST_HYPERBAND, 9, 10, 20])
def test_hyperband_makes_the_trainings_that_the_budget_says(trials, tmp_path):
    budget = budget_of("hyperband", trials, STEPS)
    rows = search(open_trials(tmp_path, "hyperband", trials))[1:]
    made = collections.Counter(row.steps for row in rows)
    planned = collections.Counter()
    for count, parts in rungs(budget.parts):
        planned[budget.steps_of(parts)] += count * budget.iterations
    assert made == planned
    assert len(rows) == budget.trainings
    assert sum(row.steps for row in rows) == budget.total_steps
    assert budget.total_steps <= trials * STEPS * 1.02  # parts of a training are rounded up to whole steps
    assert min(made) < STEPS == max(made)


def test_the_smallest_hyperband_is_one_with_a_short_rung():
    assert LEAST_HYPERBAND == cost(3) == 4
    assert budget_of("hyperband", 4, 300).parts == 3
    assert budget_of("hyperband", 1000, 300).parts == 27


@pytest.mark.parametrize(
    ("trials", "parts", "spent"), [(4, 3, 4.0), (10, 9, 9.67), (20, 27, 16.67), (30, 9, 29.0), (50, 27, 50.0)]
)
def test_hyperband_spends_most_of_what_it_may_with_rungs_as_short_as_that_allows(trials, parts, spent):
    budget = budget_of("hyperband", trials, 2700)
    assert budget.parts == parts
    assert budget.total_steps / 2700 == pytest.approx(spent, abs=0.01)
