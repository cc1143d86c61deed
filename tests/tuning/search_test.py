"""The loop that gives trials to several workers, with trainings that take no time."""

import pytest

from tests.tuning.searching import STEPS, figures, open_trials
from tffs.tuning.pool import Answer
from tffs.tuning.search import Search
from tffs.tuning.trial import DEFAULT


class InstantPool:
    """Answers one job at a time, the one that was given first."""

    def __init__(self, count):
        self._jobs = dict.fromkeys(range(count))
        self.most = 0
        self.closed = False

    def free(self):
        return [place for place, job in self._jobs.items() if job is None]

    def at_work(self):
        return [(job, 0.0) for job in self._jobs.values() if job is not None]

    def give(self, place, job):
        del self._jobs[place]
        self._jobs[place] = job
        self.most = max(self.most, len(self.at_work()))

    def hear(self, seconds):
        place = next(place for place, job in self._jobs.items() if job is not None)
        job, self._jobs[place] = self._jobs[place], None
        return [Answer(job, figures(job))]

    def close(self):
        self.closed = True


@pytest.mark.parametrize(("tuner", "trials"), [("random", 7), ("bayesian", 8), ("hyperband", 10)])
def test_several_workers_do_every_trial_once_and_the_default(tuner, trials, tmp_path):
    opened = open_trials(tmp_path, tuner, trials)
    pool, kept, shown = InstantPool(3), [], []
    Search(opened, pool, 3, kept.append, shown.append, lambda: False).run()
    rows = opened.rows()
    assert pool.most == 3
    assert pool.closed
    assert sorted(row.trial for row in kept) == sorted(row.trial for row in rows)
    assert len(rows) == opened.budget.trainings + 1
    assert rows[0].trial == DEFAULT
    assert sum(row.steps for row in rows[1:]) == opened.budget.total_steps
    assert max(row.steps for row in rows) == STEPS
    assert shown[-1].line().startswith(f"{len(rows) - 1}/{len(rows) - 1} trials  best ")
    again = InstantPool(3)
    Search(open_trials(tmp_path, tuner, trials), again, 3, kept.append, shown.append, lambda: False).run()
    assert again.most == 0  # nothing was left to do


def test_a_wish_to_stop_leaves_what_is_done(tmp_path):
    pool, kept = InstantPool(2), []
    opened = open_trials(tmp_path, "random", 7)
    Search(opened, pool, 2, kept.append, lambda standing: None, lambda: len(kept) == 3).run()
    assert pool.closed
    assert len(open_trials(tmp_path, "random", 7).rows()) == 3
