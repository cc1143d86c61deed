import socket
import threading
import time
from concurrent import futures

import grpc
import numpy as np
import pytest

from tests.serving.client.twin import Fault, Model
from tffs.errors import UserError
from tffs.serving import Client, ServerUnavailable

ROWS = np.zeros((2, 4))


def test_error_of_the_task_is_raised_as_the_model_words_it(client, twin):
    twin.versions[1] = Model(error="The task's values are too large.")
    with pytest.raises(UserError, match="^The task's values are too large.$"):
        client.select(ROWS)


@pytest.mark.parametrize("status", [400, 413, 500])
def test_refused_request_is_raised_and_not_repeated(client, twin, status):
    client.describe()
    twin.faults = [Fault(status, "The rows are odd.")]
    with pytest.raises(UserError, match="rows") as caught:
        client.select(ROWS)
    assert not isinstance(caught.value, ServerUnavailable)
    assert twin.requests.count("select") == 1


def test_error_of_the_request_is_raised_as_the_server_words_it(client, twin):
    client.describe()
    twin.faults = [Fault(400, "The rows are odd.")]
    with pytest.raises(UserError, match="^The rows are odd.$"):
        client.select(ROWS)


def test_busy_server_is_asked_again(client, twin):
    client.describe()
    twin.faults = [Fault(503), Fault(503)]
    assert client.select(ROWS)["feature"].tolist() == ["c", "a"]
    assert twin.requests.count("select") == 3


def test_server_that_stays_busy_is_given_up_within_the_time(address, twin):
    twin.faults = [Fault(503, "queue full")] * 99
    began = time.monotonic()
    with Client(address, timeout=0.5) as client, pytest.raises(ServerUnavailable, match="queue full"):
        client.select(ROWS)
    assert time.monotonic() - began < 2.0
    assert 1 < len(twin.requests) < 9


def test_time_out_is_raised_and_not_repeated(address, twin):
    with Client(address, timeout=0.3) as client:
        client.describe()
        twin.before = twin.hang
        with pytest.raises(ServerUnavailable, match="did not answer within 0.3 s"):
            client.select(ROWS)
    assert twin.requests.count("select") == 1


@pytest.mark.parametrize("scheme", ["http://", "grpc://"])
def test_absent_server_is_named(scheme):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    client = Client(f"{scheme}127.0.0.1:{port}", timeout=0.5)
    with pytest.raises(
        ServerUnavailable, match=f"No answer from .* at .*127.0.0.1:{port} .*refused.: check that it runs"
    ):
        client.describe()


def test_grpc_server_of_another_kind_is_named():
    server = grpc.server(futures.ThreadPoolExecutor(1))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with Client(f"127.0.0.1:{port}") as client, pytest.raises(UserError, match="is not TensorFlow Serving"):
        client.describe()
    server.stop(0).wait()


@pytest.mark.parametrize("document", ['{"format": 99}', "[" * 100_000])
def test_model_without_a_description_is_named(document, client, twin):
    twin.faults = []
    twin.versions[1].describe = lambda version: document
    with pytest.raises(UserError, match="Version 1 is not a model exported by this release of tffs"):
        client.select(ROWS)


def test_answer_of_another_shape_is_refused(client, twin):
    client.describe()
    twin.versions[1].chosen = (0, 1, 2)
    with pytest.raises(UserError, match="answered 'select' without 'names' of shape \\[1, 2\\]"):
        client.select(ROWS)


def test_client_is_shared_by_threads(client, twin):
    answers = []
    threads = [
        threading.Thread(
            target=lambda x: answers.append((x, client.select(ROWS + x)["score"].tolist())), args=(x,)
        )
        for x in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [(x, [x, x]) for x in range(16)]
