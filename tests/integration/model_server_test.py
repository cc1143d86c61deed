"""TF Serving itself, where it is installed."""

import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import time

import numpy as np
import pytest
import requests

from tffs.serving import Client, contract

SERVER = shutil.which("tensorflow_model_server")
BATCHING = pathlib.Path(__file__).parents[2] / "serving" / "batching.config"

pytestmark = pytest.mark.skipif(
    SERVER is None, reason="tensorflow_model_server is not on PATH: not tested here"
)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module", params=["plain", "batching"])
def server(request, finished):
    """A server with the small finished run; gives the gRPC and the REST port."""
    ports = free_port(), free_port()
    command = [
        *(SERVER, f"--port={ports[0]}", f"--rest_api_port={ports[1]}", f"--model_name={contract.MODEL_NAME}"),
        f"--model_base_path={finished.exports}",
    ]
    if request.param == "batching":
        command += ["--enable_batching=true", f"--batching_parameters_file={BATCHING}"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(requests.ConnectionError):
            if requests.get(f"http://127.0.0.1:{ports[1]}/v1/models/tffs", timeout=5).ok:
                break
        time.sleep(0.1)
    yield ports
    process.terminate()
    process.communicate()


def test_the_golden_request_gets_its_response(server, finished):
    version = pathlib.Path(finished.exports, "1")
    sent = (version / contract.GOLDEN_REQUEST).read_bytes()
    answer = requests.post(f"http://127.0.0.1:{server[1]}/v1/models/tffs:predict", data=sent, timeout=30)
    assert answer.status_code == 200, answer.text
    (came,) = answer.json()["predictions"]
    (expected,) = json.loads((version / contract.GOLDEN_RESPONSE).read_bytes())["predictions"]
    np.testing.assert_allclose(came.pop("scores"), expected.pop("scores"), rtol=1e-4)
    assert came == expected


@pytest.mark.parametrize("scheme", ["http", "grpc"])
def test_the_client_selects_and_reconstructs(server, finished, scheme, rng):
    rows = rng.random((4, 64), dtype=np.float32)
    address = f"grpc://127.0.0.1:{server[0]}" if scheme == "grpc" else f"http://127.0.0.1:{server[1]}"
    with Client(address) as client:
        chosen = client.select(rows)
        everything = client.reconstruct(rows, rows[:, chosen["index"]])
    assert everything.shape == (4, 64)
    assert np.isfinite(everything.to_numpy()).all()


def test_a_bad_task_fails_alone(server):
    support = np.zeros((2, 4, 64))
    support[1, 0, 0] = np.nan
    body = json.dumps({"inputs": {"support": support.tolist()}})
    answer = requests.post(f"http://127.0.0.1:{server[1]}/v1/models/tffs:predict", data=body, timeout=30)
    errors = answer.json()["outputs"]["error"]
    assert errors[0] == ""
    assert "must be finite numbers" in errors[1]
