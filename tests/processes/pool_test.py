"""A pool of real processes, whose jobs are functions to call in them."""

import functools
import os
import signal

import pytest

from tffs.errors import UserError
from tffs.processes.pool import Died, Pool, keep_busy

DIE = functools.partial(os._exit, 7)


def open_caller(progress):
    return lambda job: job()


def refuse(progress):
    raise UserError("There are no rows.")


def die(progress):
    os._exit(3)


@pytest.fixture
def make_pool():
    pools = []

    def make(*args):
        pools.append(Pool(*args))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def answers_of(pool, place, *jobs):
    """Give jobs to a place and wait for their answers."""
    pool.give(place, jobs)
    found = []
    while len(found) < len(jobs):
        found += pool.hear(60.0)
    assert [answer.job for answer in found] == list(jobs)
    return [answer.outcome for answer in found]


def test_a_process_has_one_thread_does_jobs_in_turn_and_leaves_ctrl_c_to_its_parent(make_pool, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    pool = make_pool(open_caller, 1)
    threads = functools.partial(os.getenv, "OMP_NUM_THREADS")
    handler = functools.partial(signal.getsignal, signal.SIGINT)
    (pid, *rest) = answers_of(pool, 0, os.getpid, threads, handler, os.getpid)
    assert rest == ["1", signal.SIG_IGN, pid]
    assert os.environ["OMP_NUM_THREADS"] == "8"
    assert answers_of(pool, 0, os.getpid) == [pid]
    pool.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_process_that_dies_costs_the_jobs_it_has_and_no_others(make_pool):
    pool = make_pool(open_caller, 2)
    waiting = {0: [[os.getpid, DIE, os.getppid], [os.getcwd]], 1: [[os.getuid], [os.getgid]]}
    outcomes = {}
    keep_busy(
        pool,
        lambda place: waiting[place].pop(0) if waiting[place] else [],
        lambda answer: outcomes.update({answer.job: answer.outcome}),
        lambda: None,
        lambda: False,
    )
    assert isinstance(outcomes.pop(os.getpid), int)  # it was answered before
    assert outcomes == {
        DIE: Died(7),
        os.getppid: Died(7),
        os.getcwd: os.getcwd(),
        os.getuid: os.getuid(),
        os.getgid: os.getgid(),
    }


def test_a_process_may_die_between_two_jobs(make_pool):
    pool = make_pool(open_caller, 1)

    def kill(pid):
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    kill(answers_of(pool, 0, os.getpid)[0])
    assert pool.hear(60.0) == []  # noticed before the next job
    assert pool.free() == [0]
    kill(answers_of(pool, 0, os.getpid)[0])
    assert answers_of(pool, 0, os.getcwd) == [Died(-signal.SIGKILL)]  # or not
    assert pool.free() == [0]


def test_a_process_is_replaced_after_some_time(make_pool):
    pool = make_pool(open_caller, 1, 2)
    one, two, three = (answers_of(pool, 0, os.getpid, os.getuid)[0] for _ in range(3))
    assert one == two != three


@pytest.mark.parametrize(
    ("opener", "message"),
    [(refuse, "There are no rows."), (die, r"could not start \(exit code 3\)")],
)
def test_a_process_that_cannot_start_is_an_error_and_not_a_row_of_failures(opener, message, make_pool):
    pool = make_pool(opener, 1)
    pool.give(0, [os.getpid])
    with pytest.raises(UserError, match=message):
        pool.hear(60.0)
