"""Trainer's module: a training that was killed goes on where it was."""

import contextlib
import glob
import io
import json
import os
import signal
import subprocess
import sys
import time
import types

import keras
import numpy as np
import pytest

from pipelines.configs import from_arguments
from pipelines.left_out import LeftOut
from pipelines.modules.trainer import run_fn
from tests.pipelines import tiny
from tests.pipelines.transforming import transform
from tffs.serving.exported_model import ExportedModel

# Long enough to be killed in the middle: a checkpoint is due every second.
STEPS = 5000
PROGRAM = """
import json, sys, types
from tffs.startup import start_tensorflow
start_tensorflow()
from pipelines.modules.trainer import run_fn
run_fn(types.SimpleNamespace(**json.loads(sys.argv[1])))
"""


@pytest.fixture(scope="module")
def arguments(tmp_path_factory):
    """What TFX would give to `run_fn`, by the number of the attempt."""
    folder = tmp_path_factory.mktemp("trainer")
    rows = {task: tiny.values()[task] for task in tiny.SOURCE}
    graph, files = transform(str(folder / "Transform"), rows, tiny.ORDER, "minmax")
    network = (*tiny.FLAGS, f"--steps={STEPS}", "--eval_every=200")

    def of(component, attempt, flags=network):
        config = from_arguments(["pipelines", "--table=voices.csv", *flags, "--held_out_tasks=t4"])
        return {
            "custom_config": {"run": json.loads(json.dumps(config.run.to_flags()))},
            "hyperparameters": None,
            "transform_graph_path": graph,
            "train_files": [files],
            "model_run_dir": str(folder / component / "model_run" / str(attempt)),
            "serving_model_dir": str(folder / component / "model" / str(attempt) / "Format-Serving"),
        }

    return of


def _train(given):
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        run_fn(types.SimpleNamespace(**given))
    return said.getvalue()


def _weights(given):
    return keras.models.load_model(os.path.join(given["model_run_dir"], "model.keras")).get_weights()


@pytest.fixture(scope="module")
def undisturbed(arguments):
    given = arguments("Undisturbed", 1)
    assert "Resuming" not in _train(given)
    return given


def _killed_after_its_first_checkpoint(given):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, json.dumps(given)], stderr=subprocess.PIPE, text=True
    )
    component = os.path.dirname(os.path.dirname(given["model_run_dir"]))
    deadline = time.monotonic() + 120
    while not glob.glob(os.path.join(component, "checkpoints", "*", "ckpt-*.index")):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def test_a_training_that_was_killed_resumes_in_a_new_folder_and_ends_with_the_same_weights(
    arguments, undisturbed
):
    killed, again = arguments("Killed", 1), arguments("Killed", 2)
    _killed_after_its_first_checkpoint(killed)
    assert not os.path.exists(os.path.join(killed["model_run_dir"], "model.keras"))
    assert "Resuming at step " in _train(again)
    for found, expected in zip(_weights(again), _weights(undisturbed), strict=True):
        np.testing.assert_array_equal(found, expected)
    component = os.path.dirname(os.path.dirname(again["model_run_dir"]))
    assert os.listdir(os.path.join(component, "checkpoints")) == []
    assert os.path.isfile(os.path.join(again["model_run_dir"], "checkpoints", f"ckpt-{STEPS}.index"))


def test_the_version_to_serve_says_what_it_was_trained_on(undisturbed):
    description = ExportedModel(undisturbed["serving_model_dir"]).description
    assert description.feature_names == tiny.ORDER
    assert description.scaling == "minmax"
    source = tiny.joined(tiny.SOURCE)
    np.testing.assert_array_equal(np.float32(description.source_low), source.min(axis=0))
    np.testing.assert_array_equal(np.float32(description.source_high), source.max(axis=0))
    assert set(description.training["source_tasks"]) == {"t0", "t1", "t2"}
    assert description.training["validation_task"] == "t3"
    assert abs(description.version - time.time()) < 3600


def test_a_network_is_not_trained_again_for_tasks_to_be_left_out(undisturbed):
    assert LeftOut.read(os.path.dirname(undisturbed["serving_model_dir"])) is None
