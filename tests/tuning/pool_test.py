import multiprocessing

import pytest

from tffs.errors import UserError
from tffs.tuning.pool import Pool
from tffs.tuning.trial import Job

JOB = Job("3", {}, 100)


def nothing():
    """What a process does that dies at once."""


@pytest.fixture
def pool():
    """A pool whose only process has died, before anyone noticed."""
    pool = Pool(None, None, 1, 1)
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=nothing)
    process.start()
    theirs.close()
    process.join()
    place = pool._places[0]
    place.process, place.connection, place.ready = process, ours, True
    return pool


def test_a_process_that_dies_costs_its_trial_alone(pool):
    pool.give(0, JOB)
    assert pool.at_work() == [(JOB, 0.0)]
    assert pool.hear(5.0) == [(JOB, "Its process died (exit code 0).")]
    assert pool.free() == [0]


def test_a_process_that_dies_without_a_trial_costs_nothing(pool):
    assert pool.hear(5.0) == []
    assert pool.hear(0.0) == []
    assert pool.free() == [0]


def test_a_process_that_never_started_is_an_error_and_not_a_row_of_failures(pool):
    pool._places[0].ready = False
    pool._places[0].job = JOB
    with pytest.raises(UserError, match="could not start"):
        pool.hear(5.0)
