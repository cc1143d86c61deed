import dataclasses
import os

import pytest

from tests.conftest import SMALL
from tests.tuning.training_test import Watched
from tffs import flags
from tffs.tuning.search import search_pool
from tffs.tuning.training import bench_of
from tffs.tuning.trial import Job


def threads_of(pid):
    """Count the threads that compute for TensorFlow in a process."""
    tasks = f"/proc/{pid}/task"
    return sum(open(f"{tasks}/{thread}/comm").read() == "tf_Compute\n" for thread in os.listdir(tasks))


def test_two_processes_of_one_thread_each_train_side_by_side_what_one_trains_alone(data_dir, monkeypatch):
    for variable in ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"):  # which these tests have
        monkeypatch.delenv(variable)
    command = flags.parse(["tffs", *SMALL, "--steps=60", "--eval_every=30", f"--data_dir={data_dir}"])
    jobs = [Job(str(number), {"learning_rate": 0.001 * (number + 1)}, 60) for number in range(2)]
    pool = search_pool(command.run, dataclasses.replace(command.place, loaders=2), 1, 2)
    answers, threads = {}, {}
    try:
        for place, job in enumerate(jobs):
            pool.give(place, [job])
        processes = [pool._workers[place].process for place in range(2)]
        assert len({process.pid for process in processes}) == 2
        while len(answers) < len(jobs):
            for job, outcome, _ in pool.hear(60.0):
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
