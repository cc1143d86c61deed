"""Real processes, joined over the loopback device."""

import os

import numpy as np
import pytest

from tests.distribute.loopback import free_ports, tf_config
from tests.distribute.training_worker import STOP_AFTER, trained

# Averaging four episodes, or two averages of two, rounds differently; 60 steps of Adam carry that on.
ROUNDING = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(scope="module")
def trainings(tmp_path_factory, forks):
    """What each of two workers got, and one worker of a cluster of one; and where each wrote."""
    processes, found, folders = [], {}, {}
    for count in (1, 2):
        ports = free_ports(count)
        for index in range(count):
            folder = tmp_path_factory.mktemp(f"worker{index}of{count}")
            process = forks.start(
                *("tests.distribute.training_worker", folder),
                env={**os.environ, "TF_CONFIG": tf_config(ports, index)},
            )
            processes.append((process, folder / f"worker{index}.npz", (index, count)))
    for process, path, name in processes:
        assert process.wait(timeout=240) == 0, process.communicate()
        found[name] = dict(np.load(path))
        folders[name] = path.parent
    return found, folders


@pytest.fixture(scope="module")
def outcomes(trainings):
    return trainings[0]


def test_two_workers_train_what_one_worker_and_the_plain_trainer_do(outcomes):
    plain = trained(None)
    assert len(plain["curve"]) == 7
    for name, expected in plain.items():
        one, two = (outcomes[0, count][f"straight {name}"] for count in (1, 2))
        np.testing.assert_allclose(two, one, **ROUNDING)
        np.testing.assert_allclose(one, expected, **ROUNDING)


def test_both_workers_end_with_the_same_bits(outcomes):
    for name, expected in outcomes[0, 2].items():
        np.testing.assert_array_equal(outcomes[1, 2][name], expected)


def test_one_worker_stops_all_at_the_same_step_and_they_resume_to_the_same_bits(outcomes):
    for outcome in outcomes.values():
        assert outcome["stopped stopped at"] == 10 * STOP_AFTER
        for name in (name for name in outcome if name.startswith("straight ") and "curve" not in name):
            np.testing.assert_array_equal(outcome[name.replace("straight", "stopped")], outcome[name])


def test_a_run_of_two_workers_is_resumed_by_one_process_alone(trainings):
    found, folders = trainings
    resumed = trained(folders[0, 2] / "half")
    for name in (name for name in resumed if name != "curve"):
        np.testing.assert_allclose(resumed[name], found[0, 2][f"straight {name}"], **ROUNDING)
    assert len(resumed["curve"]) == 7 - STOP_AFTER


def test_only_the_chief_writes_checkpoints(trainings):
    _, folders = trainings
    assert sorted(each.name for each in folders[0, 2].iterdir()) == [
        "half",
        "stopped",
        "straight",
        "worker0.npz",
    ]
    assert [each.name for each in folders[1, 2].iterdir()] == ["worker1.npz"]
