"""The client and the embedded server together, with a real model."""

import json
import shutil
import time

import numpy as np
import pandas as pd
import pytest

from tests.serving.exports import TINY_NAMES as NAMES
from tests.serving.server.running_server import RunningServer
from tffs.errors import UserError
from tffs.serving import Client
from tffs.serving.exported_model import ExportedModel


@pytest.fixture(scope="module")
def exports(tiny_export, tmp_path_factory):
    """A folder of versions of its own, for a test publishes there."""
    folder = tmp_path_factory.mktemp("served") / "export"
    shutil.copytree(tiny_export, folder / "1")
    return folder


@pytest.fixture(scope="module")
def server(exports):
    with RunningServer(exports) as running:
        yield running.server


@pytest.fixture(params=["rest", "grpc"])
def address(request, server):
    rest, grpc = f"http://127.0.0.1:{server.rest_port}", f"127.0.0.1:{server.grpc_port}"
    return rest if request.param == "rest" else grpc


@pytest.fixture
def client(address):
    with Client(address) as client:
        yield client


@pytest.fixture
def rows(rng):
    return pd.DataFrame(rng.normal(size=(2, 6)).astype(np.float32), columns=NAMES)


def test_served_model_answers_as_the_same_model_from_the_disk(client, exports, rows, rng):
    model = ExportedModel(str(exports))
    selection = client.select(rows[list(reversed(NAMES))])
    pd.testing.assert_frame_equal(selection, model.select(rows.to_numpy()), rtol=1e-6)
    measured = pd.DataFrame(rng.normal(size=(5, 6)), columns=NAMES).astype(np.float32)
    reconstruction = client.reconstruct(rows, measured)
    expected = model.reconstruct(rows.to_numpy(), measured[selection["feature"]].to_numpy())
    pd.testing.assert_frame_equal(reconstruction, expected, rtol=1e-5, atol=1e-6)
    assert tuple(reconstruction.columns) == NAMES
    for name in selection["feature"]:
        np.testing.assert_array_equal(reconstruction[name], measured[name])  # as it was measured


def test_error_of_the_task_is_raised_as_the_model_words_it(client, rows):
    with pytest.raises(
        UserError, match="^The task's values are too large to compute with: check their units.$"
    ):
        client.select(rows / np.abs(rows.to_numpy()).max() * 3e38)


def test_newer_version_is_followed_and_what_it_is_called_in_its_folder_counts(client, exports, rows, server):
    assert client.select(rows).attrs["version"] == server.version
    newest = server.version + 1
    shutil.copytree(exports / "1", exports / "unfinished")
    (exports / "unfinished").rename(exports / str(newest))
    answers = [client.select(rows)]
    give_up = time.monotonic() + 30.0
    while answers[-1].attrs["version"] != newest and time.monotonic() < give_up:
        answers.append(client.select(rows))
    assert answers[-1].attrs["version"] == newest
    for answer in answers:
        pd.testing.assert_frame_equal(answer, answers[0])


def test_select_mode_prints_for_a_server_what_it_prints_for_the_model(
    address, exports, rows, run_main, tmp_path
):
    rows.to_csv(tmp_path / "support.csv", index=False)
    asked = ("--mode=select", f"--support={tmp_path}/support.csv")
    local, served = run_main(*asked, f"--model={exports}"), run_main(*asked, f"--server={address}")
    assert served.code == 0, served.err
    assert served.out == local.out
    answer = json.loads(run_main(*asked, f"--server={address}", "--format=json").out)
    assert answer["model"] == address
    expected = ExportedModel(str(exports)).select(rows)["feature"].tolist()
    assert [feature["name"] for feature in answer["selected"]] == expected


def test_select_mode_names_the_model_that_the_server_does_not_have(address, run_main):
    outcome = run_main("--mode=select", "--support=s.csv", f"--server={address}", "--model_name=other")
    assert outcome.code == 1
    assert "does not serve the model 'other'" in outcome.err
