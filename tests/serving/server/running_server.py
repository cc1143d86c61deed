"""A real server in a thread of the test process, with real sockets."""

import asyncio
import contextlib
import http.client
import json
import os
import shutil
import threading
from typing import Any

import grpc
import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import model_service_pb2_grpc, predict_pb2, prediction_service_pb2_grpc

from tffs.config import ServeConfig
from tffs.serving.server import Limits, Server

PATIENCE = 60.0


class RunningServer:
    """Serves a folder of versions while its block runs."""

    def __init__(self, base_path, limits=Limits(), batching=True, model_name="tffs", page="on"):  # noqa: B008
        self.lines = []
        self.stopped = False
        self._said = threading.Condition()
        self.config = ServeConfig(
            base_path=str(base_path),
            model_name=model_name,
            port=0,
            rest_api_port=0,
            batching=batching,
            poll_seconds=0.05,
            page=page,
        )
        self._limits = limits

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()
        try:
            self.server = self.call(self._start())
        except BaseException:
            self._end_loop()
            raise
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.server.grpc_port}")
        self.stub = prediction_service_pb2_grpc.PredictionServiceStub(self.channel)
        self.models = model_service_pb2_grpc.ModelServiceStub(self.channel)
        return self

    def __exit__(self, *_):
        self.channel.close()
        if not self.stopped:
            self.call(self.server.stop())
        self._end_loop()

    def _end_loop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    async def _start(self):
        server = Server(self.config, self._limits, self._log)
        await server.start()
        return server

    def _log(self, line):
        with self._said:
            self.lines.append(line)
            self._said.notify_all()

    def call(self, coroutine):
        """Run a coroutine in the server's loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(PATIENCE)

    def wait_for(self, text, times=1):
        """Wait until log lines hold a text."""
        with self._said:
            said = self._said.wait_for(lambda: sum(text in line for line in self.lines) >= times, PATIENCE)
        assert said, f"{text!r} is not in {self.lines}"

    def wait_until(self, reached):
        """Wait until the server is in a state that it does not log."""

        async def waiting():
            while not reached():
                await asyncio.sleep(0.001)

        self.call(waiting())

    @contextlib.contextmanager
    def busy_lane(self):
        """Keep the model busy, so that requests gather."""
        version = _BusyVersion()

        async def hold():
            lane = self.server._lane
            signature = self.server._versions.current.signatures["describe"]
            return asyncio.ensure_future(lane.run(version, signature, {"request": np.zeros(1, np.int32)}))

        held = self.call(hold())
        assert version.running.wait(PATIENCE)
        try:
            yield version
        finally:
            version.release.set()
            self.call(asyncio.wait_for(held, PATIENCE))

    def wait_for_queue(self, requests):
        """Wait until as many requests are under way, the one that keeps the lane busy included."""

        async def reached():
            while self.server._lane._requests < requests:
                await asyncio.sleep(0.001)

        self.call(reached())

    def url(self, rest=":predict"):
        return f"/v1/models/{self.config.model_name}{rest}"

    def ask(self, method, path, body=None) -> tuple[int, Any]:
        """Send one HTTP request on a connection of its own; the answer must be JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.rest_port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, body=body, headers={"Content-Type": "application/json"})
            response = connection.getresponse()
            assert response.headers["Content-Type"].startswith("application/json")
            return response.status, json.loads(response.read())

    def post(self, document, rest=":predict") -> tuple[int, Any]:
        """Send a predict request."""
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return self.ask("POST", self.url(rest), body)

    def predict(self, signature="", **inputs):
        """Send a predict request over gRPC."""
        return self.stub.Predict(predict_request(signature, **inputs), timeout=PATIENCE)

    def refusal(self, call):
        """Give the status and the sentence of a gRPC call that must fail."""
        try:
            answer = call()
        except grpc.RpcError as error:
            return error.code(), error.details()
        raise AssertionError(f"an answer came: {answer}")


class _BusyVersion:
    """Stands in the lane in the place of a model until it is released."""

    def __init__(self):
        self.running, self.release = threading.Event(), threading.Event()

    def run(self, signature, inputs):
        self.running.set()
        assert self.release.wait(PATIENCE)
        return {}


def predict_request(signature="", model="tffs", **inputs):
    """Make a PredictRequest of arrays."""
    request = predict_pb2.PredictRequest()
    request.model_spec.name = model
    request.model_spec.signature_name = signature
    for name, value in inputs.items():
        request.inputs[name].CopyFrom(tf.make_tensor_proto(value))
    return request


def publish(source, exports, number):
    """Copy a version folder into the exports as another version, whole at once."""
    staging = os.path.join(os.path.dirname(exports), f".staging-{number}")
    shutil.copytree(source, staging)
    os.rename(staging, os.path.join(exports, str(number)))
