import dataclasses
import multiprocessing
import os

import pytest

from tests.conftest import SMALL
from tests.tuning.training_test import Watched
from tffs import flags
from tffs.errors import UserError
from tffs.tuning.pool import Pool
from tffs.tuning.training import bench_of
from tffs.tuning.trial import Job

JOB = Job("3", {}, 100)


@pytest.fixture
def pool():
    """A pool whose only process has died, before anyone noticed."""
    pool = Pool(None, None, 1, 1)
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=os.getpid)  # which ends at once
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


def threads_of(pid):
    """Count the threads that compute for TensorFlow in a process."""
    tasks = f"/proc/{pid}/task"
    return sum(open(f"{tasks}/{thread}/comm").read() == "tf_Compute\n" for thread in os.listdir(tasks))


def test_two_processes_of_one_thread_each_train_side_by_side_what_one_trains_alone(data_dir, monkeypatch):
    for variable in ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"):  # which these tests have
        monkeypatch.delenv(variable)
    command = flags.parse(["tffs", *SMALL, "--steps=60", "--eval_every=30", f"--data_dir={data_dir}"])
    jobs = [Job(str(number), {"learning_rate": 0.001 * (number + 1)}, 60) for number in range(2)]
    pool = Pool(command.run, dataclasses.replace(command.place, loaders=2), 1, 2)
    answers, threads = {}, {}
    try:
        for place, job in enumerate(jobs):
            pool.give(place, job)
        processes = [place.process for place in pool._places]
        assert len({process.pid for process in processes}) == 2
        while len(answers) < len(jobs):
            for job, outcome in pool.hear(60.0):
                answers[job.trial] = outcome
                pid = processes[int(job.trial)].pid
                threads[job.trial] = threads_of(pid)
                with open(f"/proc/{pid}/environ") as file:
                    assert "OMP_NUM_THREADS=1" in file.read().split("\0")
    finally:
        pool.close()
    assert threads == {"0": 1, "1": 1}
    bench = bench_of(command.run, command.place)
    for job in jobs:
        alone = bench.outcome(job, Watched())
        assert answers[job.trial].validation_loss == pytest.approx(alone.validation_loss, rel=1e-4)
