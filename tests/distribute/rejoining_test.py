import contextlib
import os
import signal

import pytest

from tffs.distribute import rejoining
from tffs.errors import UserError, WorkerLost
from tffs.signals import Signals


class Replaced(Exception):
    """Stands for what does not return."""


@pytest.fixture
def replaced(monkeypatch):
    """The commands that this process would have become."""
    commands = []

    def execv(path, arguments):
        commands.append(arguments)
        raise Replaced

    monkeypatch.setattr(rejoining.os, "execv", execv)
    monkeypatch.setenv("TFFS_REJOINED", "0:0")
    return commands


def test_the_same_command_runs_again_and_says_why(replaced, capsys):
    with pytest.raises(Replaced):
        rejoining.rejoin(WorkerLost(700), ["tffs", "--steps=9", "--seed=1"], "tffs.main")
    assert replaced[0][1:] == ["-m", "tffs.main", "--steps=9", "--seed=1"]
    assert "A worker was lost at about step 700: waiting for it to be started again" in capsys.readouterr().err


def test_losses_without_progress_end_after_a_few(replaced, capsys):
    for _ in range(rejoining.MOST):
        with pytest.raises(Replaced):
            rejoining.rejoin(WorkerLost(0), ["tffs"], "tffs.main")
    with pytest.raises(
        UserError, match="lost 6 times in a row at about step 0: nothing that was saved is lost"
    ):
        rejoining.rejoin(WorkerLost(0), ["tffs"], "tffs.main")
    assert len(replaced) == rejoining.MOST


def test_losses_with_progress_in_between_never_end(replaced, capsys):
    for step in range(100, 100 * (rejoining.MOST + 5), 100):
        with pytest.raises(Replaced):
            rejoining.rejoin(WorkerLost(step), ["tffs"], "tffs.main")


def test_whoever_loses_a_worker_begins_again_but_not_once_it_shall_stop(replaced, capsys):
    with Signals() as signals:
        with (
            pytest.raises(Replaced),
            rejoining.rejoining(signals, ["worker", "--a=1"], "pipelines.trainer_worker"),
        ):
            raise WorkerLost(7)
        assert replaced[0][1:] == ["-m", "pipelines.trainer_worker", "--a=1"]
        with contextlib.suppress(KeyboardInterrupt), signals.deferred():
            os.kill(os.getpid(), signal.SIGTERM)
        with (
            pytest.raises(KeyboardInterrupt),
            rejoining.rejoining(signals, ["worker"], "pipelines.trainer_worker"),
        ):
            raise WorkerLost(8)
    assert len(replaced) == 1
    assert signals.received == signal.SIGTERM
