"""Signals to a server in a process of its own, and ports that are taken."""

import asyncio
import contextlib
import dataclasses
import json
import os
import re
import shutil
import signal
import socket
import threading
import time
import urllib.request

import grpc
import numpy as np
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tensorflow_serving.apis import prediction_service_pb2_grpc

from tests.serving.server.running_server import PATIENCE, RunningServer, predict_request
from tests.serving.server.server_process import ServerProcess, killed_at_the_end, start
from tffs.errors import UserError
from tffs.serving.server.server import _listening


@pytest.fixture
def started(exports):
    with ServerProcess(exports) as process:
        yield process


def check_printed_command(greeting, exports):
    assert greeting.startswith("Serving tffs, version 1: ")
    command = re.search(r"Try it: curl -d @(\S+) http://127\.0\.0\.1:(\d+)(/\S+)", greeting)
    assert command, greeting
    assert f"In a browser: http://127.0.0.1:{command[2]}/" in greeting
    with open(command[1], "rb") as file:
        body = file.read()
    url = f"http://127.0.0.1:{command[2]}{command[3]}"
    with urllib.request.urlopen(url, body, timeout=PATIENCE) as response:
        answer = json.load(response)
    with open(os.path.join(exports, "1", "assets.extra", "golden_response.json"), encoding="utf-8") as file:
        assert answer["predictions"][0]["indices"] == json.load(file)["predictions"][0]["indices"]


def test_printed_command_works_and_sigterm_under_load_loses_no_request_that_was_taken(
    started, support, exports
):
    answered, refused, odd = [], [], []
    loaded = threading.Barrier(5)

    def load():
        with grpc.insecure_channel(f"127.0.0.1:{started.grpc_port}") as channel:
            stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)
            request = predict_request(support=support)
            for number in range(100_000):
                try:
                    answered.append(len(stub.Predict(request, timeout=PATIENCE).outputs))
                except grpc.RpcError as error:
                    (refused if error.code() == grpc.StatusCode.UNAVAILABLE else odd).append(error)
                    return
                if number == 20:
                    loaded.wait(PATIENCE)

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    loaded.wait(PATIENCE)
    check_printed_command(started.greeting, exports)
    started.process.send_signal(signal.SIGTERM)
    out, err = started.process.communicate(timeout=PATIENCE)
    for thread in threads:
        thread.join(PATIENCE)
    assert started.process.returncode == 0, err
    assert (odd, len(refused)) == ([], 4)
    assert set(answered) == {5}
    assert err.splitlines()[-2:] == ["Stopping: requests under way have 15 seconds.", "Stopped."]
    assert "Traceback" not in err + out


def test_second_signal_ends_at_once(started):
    with socket.create_connection(("127.0.0.1", started.rest_port)) as client:
        client.sendall(b"POST /v1/models/tffs:predict HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        # The server has taken the request when it answers another one that came after it.
        with socket.create_connection(("127.0.0.1", started.rest_port)) as other:
            other.sendall(b"GET /v1/models/tffs HTTP/1.1\r\nHost: x\r\n\r\n")
            assert other.recv(12) == b"HTTP/1.1 200"
        started.process.send_signal(signal.SIGINT)
        for line in started.process.stderr:
            if line.startswith("Stopping"):
                break
        started.process.send_signal(signal.SIGTERM)
        assert started.process.wait(PATIENCE) == 128 + signal.SIGTERM


def test_what_is_under_way_is_answered_while_health_says_not_serving(exports, support):
    with RunningServer(exports) as running, contextlib.ExitStack() as stack:
        stub = health_pb2_grpc.HealthStub(running.channel)
        watched = stub.Watch(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        assert next(watched).status == health_pb2.HealthCheckResponse.SERVING
        with running.busy_lane():
            waiting = running.stub.Predict.future(predict_request(support=support), timeout=PATIENCE)
            running.wait_for_queue(2)
            body = json.dumps({"instances": support.tolist()}).encode()
            client = stack.enter_context(socket.create_connection(("127.0.0.1", running.server.rest_port)))
            client.sendall(
                f"POST {running.url()} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{{".encode()
            )
            running.call(under_way(running, 2))
            stopping = asyncio.run_coroutine_threadsafe(running.server.stop(), running.loop)
            assert next(watched).status == health_pb2.HealthCheckResponse.NOT_SERVING
            late = running.refusal(lambda: fresh_predict(running, support))
            assert late[0] == grpc.StatusCode.UNAVAILABLE
            client.sendall(body[1:])
        assert len(waiting.result(PATIENCE).outputs) == 5
        assert client.recv(15) == b"HTTP/1.1 200 OK"
        stopping.result(PATIENCE)
        running.stopped = True


@pytest.mark.parametrize("serving", [True, False], ids=["serving", "starting"])
def test_sigterm_ends_a_server_that_hangs_while_it_loads_a_version(exports, serving):
    """The version's graph is a pipe that is held open and never written to."""
    if not serving:
        shutil.rmtree(os.path.join(exports, "1"))
    pipe = os.path.join(exports, "2", "saved_model.pb")
    os.makedirs(os.path.dirname(pipe))
    if not serving:
        os.mkfifo(pipe)
    process = start(exports)
    with killed_at_the_end(process):
        if serving:
            process.stdout.readline()
            os.mkfifo(pipe)
        with open(when_it_is_read(pipe), "wb"):
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == (0 if serving else 128 + signal.SIGTERM)


def when_it_is_read(pipe):
    """Open a pipe for writing as soon as another process reads it."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            assert time.monotonic() < end, "nobody reads it"
            time.sleep(0.01)


async def under_way(running, number):
    while running.server._model.gate._under_way < number:
        await asyncio.sleep(0.001)


def fresh_predict(running, support):
    with grpc.insecure_channel(f"127.0.0.1:{running.server.grpc_port}") as channel:
        stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)
        return stub.Predict(predict_request(support=support), timeout=PATIENCE)


@pytest.mark.parametrize("flag", ["port", "rest_api_port"])
def test_taken_port_is_said_before_a_model_is_looked_for(tmp_path, flag):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        running = RunningServer(tmp_path / "nowhere")
        running.config = dataclasses.replace(running.config, **{flag: taken.getsockname()[1]})
        with pytest.raises(UserError, match=f"--{flag}=\\d+ cannot be opened on 127.0.0.1"):
            running.__enter__()


def test_rest_port_is_taken_from_the_moment_it_is_opened():
    with contextlib.closing(_listening("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(UserError, match="another program has it"):
            _listening("127.0.0.1", port)


def test_ports_are_free_again_after_a_start_that_failed(tmp_path):
    with contextlib.ExitStack() as stack:
        ports = []
        for _ in range(2):
            taken = stack.enter_context(socket.socket())
            taken.bind(("127.0.0.1", 0))
            ports.append(taken.getsockname()[1])
    running = RunningServer(tmp_path)
    running.config = dataclasses.replace(running.config, port=ports[0], rest_api_port=ports[1])
    with pytest.raises(UserError, match="holds no version"):
        running.__enter__()
    for port in ports:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))


def test_nothing_stays_open_after_the_end(exports, support):
    before = set(threading.enumerate())
    with RunningServer(exports) as running:
        ports = running.server.rest_port, running.server.grpc_port
        assert np.isfinite(running.predict(support=support).outputs["scores"].float_val).all()
    for port in ports:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
    left = [thread for thread in set(threading.enumerate()) - before if thread.name.startswith("tffs-")]
    for thread in left:
        thread.join(timeout=5.0)  # one may be in its last line
    assert not [thread.name for thread in left if thread.is_alive()]
