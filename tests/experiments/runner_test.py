import multiprocessing

import pytest

from tffs.errors import UserError
from tffs.experiments.grid import Cell
from tffs.experiments.runner import Runner, _Worker

CELLS = [Cell(0, "a", 10, size, "cae_s") for size in (2, 4)]


def nothing():
    """What a worker does that dies at once."""


@pytest.fixture
def dead():
    """A worker that has died, as the parent sees it before it is told."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=nothing)
    process.start()
    theirs.close()
    process.join()
    return _Worker(process, ours)


@pytest.fixture
def runner():
    kept = []
    runner = Runner({}, 1, kept.append, lambda standing: None, lambda: False)
    runner.kept = kept
    return runner


def test_a_worker_that_dies_before_its_next_job_costs_that_job_alone(dead, runner):
    dead.ready = True
    runner._workers.append(dead)
    runner._waiting.append(CELLS)
    runner._give(dead)
    assert [line["status"] for line in runner.kept] == ["failed", "failed"]
    assert [line["support_size"] for line in runner.kept] == [2, 4]
    assert "its process died (exit code 0)" in runner.kept[0]["error"]
    assert runner._workers == []


def test_a_worker_that_dies_when_there_is_nothing_left_to_do_costs_nothing(dead, runner):
    dead.ready = True
    runner._workers.append(dead)
    runner._give(dead)
    assert runner.kept == []
    assert runner._workers == []


def test_a_worker_that_never_started_is_an_error_and_not_a_grid_of_failures(dead, runner):
    runner._workers.append(dead)
    with pytest.raises(UserError, match="could not start"):
        runner._hear(dead)
    assert runner.kept == []
