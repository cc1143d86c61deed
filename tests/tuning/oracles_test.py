"""The oracles: the same search from the same seed, and from whatever a kill has left."""

import json

import pytest
from keras_tuner.engine.trial import Trial

from tests.tuning.searching import figures, open_trials, search
from tffs.errors import UserError
from tffs.tuning.oracles import FILE, finish
from tffs.tuning.trial import DEFAULT, Job, best_of

TRIALS = {"random": 6, "bayesian": 9, "hyperband": 4}  # the Bayesian oracle proposes from the seventh on
EACH = pytest.mark.parametrize("tuner", TRIALS)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    return {tuner: search(open_trials(folder / tuner, tuner, count)) for tuner, count in TRIALS.items()}


@EACH
def test_a_search_tries_different_flags_and_finds_the_lowest_loss(tuner, undisturbed):
    rows = undisturbed[tuner]
    assert rows[0].trial == DEFAULT
    assert len({tuple(row.flags.values()) for row in rows}) > 3
    best = best_of(rows, rows[0].steps)
    assert best.loss == min(row.loss for row in rows if row.steps == rows[0].steps)


@EACH
def test_the_seed_decides_the_trials(tuner, undisturbed, tmp_path):
    assert search(open_trials(tmp_path / "same", tuner, TRIALS[tuner])) == undisturbed[tuner]
    other = search(open_trials(tmp_path / "other", tuner, TRIALS[tuner], seed=1))
    assert [row.flags for row in other[1:]] != [row.flags for row in undisturbed[tuner][1:]]


@EACH
def test_killed_after_every_event_a_search_goes_on_as_if_undisturbed(tuner, undisturbed, tmp_path):
    def again():
        return open_trials(tmp_path, tuner, TRIALS[tuner])

    again().settle(again().default_job, figures(again().default_job))
    while isinstance(first := again().proposed("worker0"), Job):  # killed while it trains
        trials = again()
        assert trials.proposed("worker0") == first
        trials.settle(first, figures(first))  # killed before the next is proposed
    assert again().rows() == undisturbed[tuner]


def test_killed_between_the_report_and_the_end_a_trial_runs_again_and_counts_once(tmp_path):
    trials = open_trials(tmp_path, "random", 2)
    job = trials.proposed("worker0")
    trials._oracle.update_trial(job.trial, {"validation_loss": 100.0, "distinct": 1.0, "seconds": 1.0})
    trials = open_trials(tmp_path, "random", 2)
    assert trials.proposed("worker0") == job
    trials.settle(job, figures(job))
    assert open_trials(tmp_path, "random", 2).rows()[0].figures == figures(job)


def test_a_worker_that_outlives_the_chief_reports_once(tmp_path):
    before = open_trials(tmp_path, "random", 2)
    job = before.proposed("old")
    held = before._at_work[job.trial]
    chief = open_trials(tmp_path, "random", 2)  # started again
    assert chief.proposed("new") == job
    finish(chief._oracle, held, figures(job))  # by the old worker
    assert not chief._oracle.ongoing_trials
    chief.settle(job, "It failed for the new one.")
    rows = search(chief)
    assert [row.figures for row in rows if row.trial == job.trial] == [figures(job)]
    assert len(rows) == 3


def test_an_error_reaches_the_chief_through_keras_tuners_protocol(tmp_path):
    chief = open_trials(tmp_path, "random", 1)
    job = chief.proposed("worker0")
    sent = Trial.from_proto(chief._at_work[job.trial].to_proto())
    assert chief.job(sent) == job  # its numbers went through 32 bits
    finish(chief._oracle, Trial.from_proto(sent.to_proto()), "The loss became nan.")
    (row,) = open_trials(tmp_path, "random", 1).rows()
    assert (row.error, row.flags) == ("The loss became nan.", job.flags)


def test_more_trials_continue_a_search(undisturbed, tmp_path):
    rows = search(open_trials(tmp_path, "random", 3))
    assert rows == undisturbed["random"][:4]
    assert search(open_trials(tmp_path, "random", 6)) == undisturbed["random"]


@EACH
def test_trials_that_fail_are_recorded_and_do_not_stop_the_rest(tuner, tmp_path):
    def outcome(job):
        return "The loss became nan." if job.flags["decoder_units"] == "8" else figures(job)

    rows = search(open_trials(tmp_path, tuner, TRIALS[tuner]), outcome)
    failed = [row for row in rows[1:] if row.figures is None]
    assert failed
    assert {row.error for row in failed} == {"The loss became nan."}
    assert all(row.flags["decoder_units"] == "8" for row in failed)
    assert any(row.figures is not None for row in rows[1:])
    lines = [json.loads(line) for line in (tmp_path / "trials.jsonl").read_text().splitlines()]
    assert [line["status"] for line in lines] == ["failed" if row.figures is None else "ok" for row in rows]


def test_when_everything_fails_the_search_still_ends(tmp_path):
    rows = search(open_trials(tmp_path, "hyperband", 4), lambda job: "no")
    assert best_of(rows, 900) is None
    assert len(rows) > 3


def test_a_damaged_state_is_said_in_one_sentence(tmp_path):
    search(open_trials(tmp_path, "random", 1))
    (tmp_path / FILE).write_text('{"oracle": {}, "trials": []}')
    with pytest.raises(UserError, match="oracle.json is not what tffs writes"):
        open_trials(tmp_path, "random", 1)
