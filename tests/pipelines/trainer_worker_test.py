"""Several workers of the Trainer train what one process trains."""

import copy
import json
import os
import socket
import subprocess
import sys
import time
import types

import keras
import numpy as np
import pytest

from pipelines.configs import from_arguments
from pipelines.modules.trainer import run_fn
from pipelines.trainer_worker import JOB, main
from tests.distribute.loopback import free_ports, tf_config
from tests.pipelines import tiny
from tests.pipelines.transforming import transform
from tffs.serving.exported_model import ExportedModel

PROGRAM = """
import json, sys, types
from pipelines.modules.trainer import run_fn
run_fn(types.SimpleNamespace(**json.loads(sys.argv[1])))
"""


@pytest.fixture(scope="module")
def arguments(tmp_path_factory):
    """What TFX would give to `run_fn`, for a pipeline in a folder of its own."""
    folder = tmp_path_factory.mktemp("workers")
    rows = {task: tiny.values()[task] for task in tiny.SOURCE}
    graph, files = transform(str(folder / "Transform"), rows, tiny.ORDER, "minmax")
    flags = ("--table=voices.csv", *tiny.FLAGS, "--steps=40", "--episodes_per_step=2")
    config = from_arguments(["pipelines", *flags, "--held_out_tasks=t4"])

    def of(root, distribute):
        component = folder / root / "artifacts" / "Trainer"
        return {
            "custom_config": {"run": json.loads(json.dumps(config.run.to_flags())), "distribute": distribute},
            "hyperparameters": None,
            "transform_graph_path": graph,
            "train_files": [files],
            "model_run_dir": str(component / "model_run" / "1"),
            "serving_model_dir": str(component / "model" / "1" / "Format-Serving"),
        }

    return of


class Workers:
    """Starts the Trainer and its workers, which do not outlive the test."""

    def __init__(self):
        self.ports = free_ports(2)
        self._started = []

    def trainer(self, given):
        return self._start(0, "-c", PROGRAM, json.dumps(given))

    def by_hand(self, root):
        return self._start(1, "-m", "pipelines.trainer_worker", f"--pipeline_root={root}")

    def _start(self, index, *command):
        process = subprocess.Popen(
            [sys.executable, *command],
            env={**os.environ, "TF_CONFIG": tf_config(self.ports, index)},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def await_first(self, listening):
        """Wait until the first worker listens for the others, or is gone."""
        deadline = time.monotonic() + (240 if listening else 20)
        while True:
            try:
                socket.create_connection(("localhost", self.ports[0]), 5.0).close()
                found = True
            except OSError:
                found = False
            if found == listening:
                return
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def end(self):
        for process in self._started:
            process.kill()
            process.wait()
            process.stderr.close()


@pytest.fixture
def workers():
    started = Workers()
    yield started
    started.end()


def _weights(given):
    return keras.models.load_model(os.path.join(given["model_run_dir"], "model.keras")).get_weights()


def test_two_workers_train_the_model_of_one_process_also_after_a_trainer_was_killed(arguments, workers):
    alone, together = arguments("alone", "none"), arguments("together", "multi_worker")
    run_fn(types.SimpleNamespace(**alone))
    component = os.path.dirname(os.path.dirname(together["model_run_dir"]))
    job = os.path.join(component, JOB)

    other = copy.deepcopy(together)
    other["custom_config"]["run"]["steps"] += 1
    killed = workers.trainer(other)
    workers.await_first(listening=True)
    killed.kill()
    workers.await_first(listening=False)
    assert os.path.exists(job)

    worker = workers.by_hand(os.path.dirname(os.path.dirname(component)))
    processes = [workers.trainer(together), worker]
    said = [process.communicate(timeout=300)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], said
    # Gradients are summed in another order.
    for one, other in zip(_weights(alone), _weights(together), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)
    assert ExportedModel(together["serving_model_dir"]).description.feature_names == tuple(tiny.ORDER)
    assert not os.path.exists(job)


def test_a_worker_without_a_cluster_gets_one_sentence(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    assert main(["pipelines.trainer_worker", f"--pipeline_root={tmp_path}"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("pipelines.trainer_worker: ")
    assert "TF_CONFIG" in said
    assert len(said.splitlines()) == 1
