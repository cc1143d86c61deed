"""A run whose posterior has a residual network, killed and resumed."""

import json
import os
import signal
import time

import numpy as np
import pytest

from tests.posterior.small import rows_of_tasks
from tffs.models import load_model
from tffs.workdir import Workdir


@pytest.fixture(scope="module")
def command(tmp_path_factory, data_dir):
    """A table in which half of the features are squares of the others, and the command that fits to it."""
    x = rows_of_tasks(tasks=4, rows=150, features=6)
    about = x - x.mean(axis=1, keepdims=True)
    path = tmp_path_factory.mktemp("bent") / "bent.npz"
    task = np.repeat(["a", "b", "c", "d"], 150)
    np.savez(path, x=np.concatenate([x, about**2], axis=-1).reshape(-1, 12).astype(np.float32), task=task)
    arguments = (
        f"--table={path}",
        f"--data_dir={data_dir}",
        "--mode=train",
        "--num_selected=3",
        "--residual=on",
    )
    return ("tffs.main", *arguments, "--target_task=none", "--steps=1500")


def wait_for_checkpoint(workdir, process):
    """Wait until a checkpoint of the network is whole, while the process goes on."""
    folder, deadline = workdir.file("checkpoints/left_out"), time.monotonic() + 240
    while time.monotonic() < deadline and process.poll() is None:
        if os.path.isdir(folder) and any(name.endswith(".index") for name in os.listdir(folder)):
            return
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"no checkpoint came: {process.communicate()}")


def test_a_killed_run_resumes_to_the_same_network(command, tmp_path, forks):
    whole, killed = Workdir(str(tmp_path / "whole")), Workdir(str(tmp_path / "killed"))
    first = forks.start(*command, f"--workdir={whole.path}")
    assert first.wait(timeout=300) == 0, first.communicate()
    resumed = [*command, f"--workdir={killed.path}"]
    process = forks.start(*resumed)
    wait_for_checkpoint(killed, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    second = forks.start(*resumed)
    assert second.wait(timeout=300) == 0, second.communicate()
    assert "Resuming at step" in "".join(second.communicate())
    models = [load_model(workdir.model) for workdir in (whole, killed)]
    assert models[0].selector.residual is not None
    for weight, same in zip(*(model.get_weights() for model in models), strict=True):
        np.testing.assert_array_equal(weight, same)
    with open(killed.file("training.json"), encoding="utf-8") as file:
        tried = json.load(file)["chosen"]["residual"]
    assert tried["kept"]
    assert tried["error_with"] < tried["error_without"]
