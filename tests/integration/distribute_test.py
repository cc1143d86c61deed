"""--distribute=multi_worker: real workers, killed, signalled and started again."""

import dataclasses
import os
import signal
import time

import numpy as np
import pytest

from tests.conftest import SMALL
from tests.distribute.loopback import free_ports, tf_config
from tests.integration.bad_input_test import assert_refused
from tests.integration.process_test import weights
from tffs.config import DataPlace
from tffs.distribute.agreement import check_same_run
from tffs.distribute.cluster import cluster_of
from tffs.errors import UserError
from tffs.flags import parse
from tffs.planning.setting import settle
from tffs.training.workers import Alone
from tffs.workdir import Workdir

# Long enough that a checkpoint is due, after a second, and everything below happens in the middle.
LONG = (
    *(*SMALL, "--steps=1500", "--eval_every=500"),
    *("--distribute=multi_worker", "--episodes_per_step=2"),
)


class Pair:
    """Two workers on this machine, each with a workdir of its own.

    Args:
        forks: starts them.
        folder: where the workdirs and what they print go.
        flags: of both.
    """

    def __init__(self, forks, folder, *flags):
        self._forks, self._folder, self._flags = forks, folder, flags
        self._ports = free_ports(2)
        self.workdirs = [Workdir(str(folder / f"run{index}")) for index in range(2)]
        self.processes = [None, None]

    def start(self, *indices, more=()):
        for index in indices or (0, 1):
            self.processes[index] = self._forks.start(
                *("tffs.main", *self._flags, *more, self._workdir(index)),
                env={**os.environ, "TF_CONFIG": self.place(index)},
                out=self._file(index),
            )

    def place(self, index):
        return tf_config(self._ports, index)

    def text(self, index):
        return self._file(index).read_text()

    def await_checkpoint(self):
        """Wait until the chief has saved, while both train on."""
        folder = self.workdirs[0].file("checkpoints")
        self._wait(
            lambda: os.path.isdir(folder) and any(name.endswith(".index") for name in os.listdir(folder))
        )

    def await_resuming(self, times):
        """Wait until both have gone on from a checkpoint so many times."""
        self._wait(lambda: all(self.text(index).count("Resuming at step") >= times for index in range(2)))

    def _wait(self, done):
        deadline = time.monotonic() + 120
        while not done():
            assert time.monotonic() < deadline, self.text(0) + self.text(1)
            assert [process.poll() for process in self.processes] == [None, None], self.text(0) + self.text(1)
            time.sleep(0.02)

    def ended(self):
        codes = [process.wait(timeout=240) for process in self.processes]
        for index in range(2):
            assert "Traceback" not in self.text(index)
        return codes

    def kill_all(self):
        for process in self.processes:
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()

    def _workdir(self, index):
        return f"--workdir={self.workdirs[index].path}"

    def _file(self, index):
        return self._folder / f"worker{index}.txt"


@pytest.fixture
def pair(forks, tmp_path, data_dir):
    """Make pairs that do not outlive the test."""
    pairs = []

    def make(name, *flags):
        (tmp_path / name).mkdir()
        pairs.append(Pair(forks, tmp_path / name, *flags, f"--data_dir={data_dir}"))
        return pairs[-1]

    yield make
    for each in pairs:
        each.kill_all()


def test_workers_that_are_killed_stopped_and_started_again_end_as_if_undisturbed(pair, run_main, monkeypatch):
    undisturbed = pair("undisturbed", *LONG, "--mode=train")
    undisturbed.start()
    assert undisturbed.ended() == [0, 0], undisturbed.text(0) + undisturbed.text(1)
    expected = weights(undisturbed.workdirs[0])

    disturbed = pair("disturbed", *LONG)
    disturbed.start(more=["--mode=train"])
    disturbed.await_checkpoint()
    for resumed, victim in enumerate((1, 0), start=1):
        disturbed.processes[victim].kill()
        disturbed.processes[victim].wait()
        disturbed.start(victim, more=["--mode=train"])
        disturbed.await_resuming(resumed)
    disturbed.processes[1].send_signal(signal.SIGTERM)
    assert disturbed.ended() == [128 + signal.SIGINT, 128 + signal.SIGTERM]
    stopped = {disturbed.text(index).splitlines()[-1] for index in range(2)}
    assert len(stopped) == 1
    assert "the same command resumes" in stopped.pop()

    disturbed.start(more=["--mode=run"])
    assert disturbed.ended() == [0, 0], disturbed.text(0) + disturbed.text(1)
    for one, other in zip(weights(disturbed.workdirs[0]), expected, strict=True):
        np.testing.assert_array_equal(one, other)
    for index in range(2):  # each survived the other
        assert "A worker was lost at about step" in disturbed.text(index)
        assert "Resuming at step" in disturbed.text(index)
    assert "Trained 1500 steps" in disturbed.text(0)
    assert disturbed.text(1).splitlines()[-1] == "Worker 1 is done; worker 0 has the trained model."
    assert os.path.exists(disturbed.workdirs[0].file("result.json"))
    assert not os.path.exists(disturbed.workdirs[1].path)
    alone, together = (each.workdirs[0].stored_config() for each in (undisturbed, disturbed))
    assert alone == together

    monkeypatch.setenv("TF_CONFIG", disturbed.place(0))
    again = run_main(*LONG, "--mode=train", f"--workdir={disturbed.workdirs[0].path}")  # which needs nobody
    assert again.code == 0, again.err
    assert "is trained already; nothing to train." in again.err


@pytest.mark.parametrize(
    ("value", "flags", "fragment"),
    [
        ("", (), "--distribute=multi_worker needs the environment variable TF_CONFIG"),
        ("{", (), "TF_CONFIG cannot be used, because it is not JSON"),
        (
            tf_config((1, 2, 3), 0),
            (),
            "divisible by the number of workers, 3, but received 2: give 3 or a multiple",
        ),
        (
            tf_config((1, 2), 0),
            ("--mode=evaluate",),
            "--distribute is not used by --mode=evaluate: leave it out. It is for --mode=run or train",
        ),
        (tf_config((1, 2), 0), ("--distribute=horovod",), "--distribute must be one of none, multi_worker"),
    ],
)
def test_mistakes_get_one_sentence(value, flags, fragment, run_main, tmp_path, monkeypatch):
    monkeypatch.setenv("TF_CONFIG", value)
    assert_refused(run_main(*LONG, f"--workdir={tmp_path}/run", *flags), fragment)
    assert not os.path.exists(tmp_path / "run")


def test_who_trains_makes_no_other_run(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", tf_config((1, 2), 0))
    together, alone = parse(["tffs", *LONG]), parse(["tffs", *LONG, "--distribute=none"])
    assert cluster_of(together.distribute, 2).count == 2
    assert cluster_of(alone.distribute, 2) is None
    assert together.run == alone.run


class Chief(Alone):
    """Keeps what it tells the others."""

    def from_chief(self, values):
        self.told = list(values)
        return values


class Follower(Alone):
    """Hears what a chief told."""

    def __init__(self, chief):
        self._told = chief.told

    def from_chief(self, values):
        return self._told


def _of_table(config, name):
    return dataclasses.replace(config, data=dataclasses.replace(config.data, dataset=name))


def test_workers_with_other_flags_or_other_rows_do_not_train_together(data_dir):
    setting = settle(parse(["tffs", *SMALL]).run, DataPlace(data_dir), lambda sentence: None)
    chief = Chief()
    check_same_run(setting, chief)
    check_same_run(dataclasses.replace(setting), Follower(chief))
    table, renamed, changed = (
        dataclasses.replace(setting, config=_of_table(setting.config, name))
        for name in ("table/mine-1a", "table/yours-1a", "table/mine-1b")
    )
    check_same_run(table, table_chief := Chief())
    check_same_run(renamed, Follower(table_chief))
    with pytest.raises(UserError, match="different flags or have different data"):
        check_same_run(changed, Follower(table_chief))
    tasks, statistics = setting.tasks, setting.statistics
    offsets = tasks.offsets + np.array([0, 1, *[0] * (len(tasks.offsets) - 2)])  # a row changed its task
    mean = np.nextafter(statistics.mean, np.float32(1.0))
    for others in (
        {"config": dataclasses.replace(setting.config, seed=setting.config.seed + 1)},
        {"tasks": dataclasses.replace(tasks, offsets=offsets)},
        {"tasks": dataclasses.replace(tasks, feature_names=tasks.feature_names[::-1])},
        {"statistics": dataclasses.replace(statistics, mean=mean)},
    ):
        with pytest.raises(UserError, match="different flags or have different data"):
            check_same_run(dataclasses.replace(setting, **others), Follower(chief))
