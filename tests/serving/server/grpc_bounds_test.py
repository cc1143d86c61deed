"""gRPC calls made to take memory or to hold others up."""

import gc
import threading
from types import FrameType

import numpy as np
import pytest
from grpc import StatusCode
from tensorflow_serving.apis import predict_pb2

import tffs.serving.server
from tests.serving.server.running_server import PATIENCE, RunningServer, predict_request
from tffs.serving.server.limits import Limits

PREDICT = "/tensorflow.serving.PredictionService/Predict"
LIMITS = Limits(body_bytes=150_000, body_seconds=0.3, request_fields=1000)


@pytest.fixture
def running(exports):
    with RunningServer(exports, LIMITS) as running:
        yield running


def filled(kind):
    """Make a request of few bytes that takes much memory when it is parsed."""
    request = predict_pb2.PredictRequest()
    tensor = request.inputs["support"]
    for number in range(LIMITS.request_fields):
        if kind == "inputs":
            request.inputs[str(number)].SetInParent()
        elif kind == "dimensions":
            tensor.tensor_shape.dim.add()
        elif kind == "strings":
            tensor.string_val.append(b"")
        else:
            request.output_filter.append("")
    return request


@pytest.mark.parametrize("kind", ["inputs", "dimensions", "strings", "outputs"])
def test_message_of_many_fields_is_refused_unparsed(running, kind):
    code, sentence = running.refusal(lambda: running.stub.Predict(filled(kind), timeout=PATIENCE))
    assert code == StatusCode.INVALID_ARGUMENT
    assert sentence == "The PredictRequest has more than 1000 fields: send several requests."


def test_messages_in_memory_are_bounded_together(running, support):
    many = np.repeat(support, 2000, axis=0)  # 96,000 bytes
    with running.busy_lane():
        waiting = running.stub.Predict.future(predict_request(support=many), timeout=PATIENCE)
        running.wait_for_queue(2)
        code, sentence = running.refusal(lambda: running.predict(support=many))
        assert (code, "too many requests waiting" in sentence) == (StatusCode.UNAVAILABLE, True)
        assert running.post(b" " * 90_000)[0] == 503
    assert len(waiting.result(PATIENCE).outputs) == 5
    assert len(running.predict(support=many).outputs) == 5


def test_call_whose_message_does_not_come_is_ended(running, support):
    never = threading.Event()

    def nothing():
        never.wait(PATIENCE)
        yield b""

    code, sentence = running.refusal(lambda: running.channel.stream_unary(PREDICT)(nothing(), timeout=PATIENCE))
    never.set()
    assert code == StatusCode.DEADLINE_EXCEEDED
    assert sentence == "The request was not received within 0.3 seconds."
    assert len(running.predict(support=support).outputs) == 5


def test_call_without_a_message_is_refused(running):
    code, sentence = running.refusal(lambda: running.channel.stream_unary(PREDICT)(iter([]), timeout=PATIENCE))
    assert (code, sentence) == (StatusCode.INVALID_ARGUMENT, "The call was ended without a PredictRequest.")


def fail(signature, inputs):
    raise RuntimeError("the model has failed")


def test_refused_requests_are_gone_before_the_garbage_collector_runs(running, support, rng):
    """A refused request that is part of a reference cycle stays in memory, with all its inputs."""
    folder = tffs.serving.server.__path__[0]
    refused = [
        predict_request(another=support),
        predict_request(support=support[:, :1]),
        predict_request(support=np.full_like(support, np.nan)),
        predict_request(support=rng.random((1, 10_000, 6), dtype=np.float32)),
        predict_request("none", support=support),
        filled("inputs"),
    ]
    gc.collect()
    gc.disable()
    try:
        for request in refused:
            running.refusal(lambda request=request: running.stub.Predict(request, timeout=PATIENCE))
        running.refusal(lambda: running.channel.unary_unary(PREDICT)(b"\xff", timeout=PATIENCE))
        assert running.post({"instances": support[:, :1].tolist()})[0] == 400
        running.server._versions.current.run = fail
        assert running.refusal(lambda: running.predict(support=support))[0] == StatusCode.INTERNAL
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        codes = [item.f_code for item in gc.garbage if isinstance(item, FrameType)]
        left = {code.co_qualname for code in codes if code.co_filename.startswith(folder)}
        assert left <= {"GrpcMessages._handler.<locals>.handle"}  # gRPC keeps it; it has no message
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
