"""The loop that gives trials to several workers, with trainings that take no time."""

import pytest

from tests.processes.instant_pool import InstantPool
from tests.tuning.searching import STEPS, figures, open_trials
from tffs.processes.pool import Died
from tffs.tuning.search import Search
from tffs.tuning.trial import DEFAULT


@pytest.mark.parametrize(("tuner", "trials"), [("random", 7), ("bayesian", 8), ("hyperband", 10)])
def test_several_workers_do_every_trial_once_and_the_default(tuner, trials, tmp_path):
    opened = open_trials(tmp_path, tuner, trials)
    pool, kept, shown = InstantPool(3, figures), [], []
    Search(opened, pool, 3, kept.append, shown.append, lambda: False).run()
    rows = opened.rows()
    assert pool.most == 3
    assert pool.closed
    assert sorted(row.trial for row in kept) == sorted(row.trial for row in rows)
    assert len(rows) == opened.budget.trainings + 1
    assert rows[0].trial == DEFAULT
    assert sum(row.steps for row in rows[1:]) == opened.budget.total_steps
    assert max(row.steps for row in rows) == STEPS
    assert shown[-1].startswith(f"{len(rows) - 1}/{len(rows) - 1} trials  best ")
    again = InstantPool(3, figures)
    Search(open_trials(tmp_path, tuner, trials), again, 3, kept.append, shown.append, lambda: False).run()
    assert again.most == 0  # nothing was left to do


def test_a_wish_to_stop_leaves_what_is_done(tmp_path):
    pool, kept = InstantPool(2, figures), []
    opened = open_trials(tmp_path, "random", 7)
    Search(opened, pool, 2, kept.append, lambda standing: None, lambda: len(kept) == 3).run()
    assert pool.closed
    assert len(open_trials(tmp_path, "random", 7).rows()) == 3


def test_a_process_that_dies_costs_its_trial_alone(tmp_path):
    opened, kept = open_trials(tmp_path, "random", 3), []
    pool = InstantPool(1, lambda job: Died(-9) if job.trial == DEFAULT else figures(job))
    Search(opened, pool, 1, kept.append, lambda progress: None, lambda: False).run()
    assert [row.error for row in kept] == ["Its process died (exit code -9).", None, None, None]
    assert [row.trial for row in opened.rows()] == [row.trial for row in kept]
