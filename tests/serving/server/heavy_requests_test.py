"""Small requests for giant answers, and bodies made to keep the parser busy."""

import threading
import time

import numpy as np
import pytest
from grpc import StatusCode

from tests.serving.server.running_server import RunningServer
from tffs.serving.model_version import MOST_ROWS, MOST_VALUES
from tffs.serving.server.limits import Limits

NEIGHBOUR_SECONDS = 3.0


@pytest.fixture
def running(exports):
    with RunningServer(exports) as running:
        yield running


def test_describe_answers_few_tasks_at_a_time(running):
    status, answer = running.post({"signature_name": "describe", "inputs": [0] * 64})
    assert (status, len(answer["outputs"])) == (200, 64)
    status, answer = running.post({"signature_name": "describe", "inputs": [0] * 16384})
    expected = (
        "Signature 'describe' answers at most 64 tasks at a time, but received 16384: send several requests."
    )
    assert (status, answer["error"]) == (400, expected)
    came = running.refusal(lambda: running.predict("describe", request=np.zeros(65, np.int32)))
    assert came == (StatusCode.INVALID_ARGUMENT, expected.replace("16384", "65"))


def test_answers_are_bounded_by_their_values(exports, support):
    with RunningServer(exports, Limits(answer_values=600)) as running:
        values = np.zeros((1, 100, 3), np.float32)  # 600 values of reconstructions, and an error
        code, sentence = running.refusal(lambda: running.predict("reconstruct", support=support, values=values))
        assert code == StatusCode.INVALID_ARGUMENT
        assert sentence == "The answer would hold 601 values, but it may hold 600: send several requests."
        assert len(running.predict("reconstruct", support=support, values=values[:, 1:]).outputs) == 2
        status, answer = running.post({"instances": np.repeat(support, 61, axis=0).tolist()})
        assert (status, "would hold 671 values" in answer["error"]) == (400, True)
        assert running.post({"instances": np.repeat(support, 50, axis=0).tolist()})[0] == 200


def test_what_the_client_sends_at_once_is_taken(running, support, rng):
    values = rng.random((1, MOST_ROWS, 3), dtype=np.float32)
    inputs = {"support": support.tolist(), "values": values.tolist()}
    status, answer = running.post({"signature_name": "reconstruct", "inputs": inputs})
    assert (status, np.shape(answer["outputs"]["reconstruction"])) == (200, (1, MOST_ROWS, 6))
    limits = Limits()
    longest = len("-1.2345678901234567e-05, ")
    assert limits.answer_values > MOST_VALUES + MOST_ROWS
    assert limits.rest_bytes > MOST_VALUES * longest
    assert limits.rest_values > MOST_VALUES


def filled(unit, head=b'{"instances": [', tail=b"0]}"):
    return head + unit * ((Limits().rest_bytes - len(head) - len(tail)) // len(unit)) + tail


KEYS = b"".join(b'"%x":0,' % number for number in range(1_000_000))
HEAVY = {
    "objects": filled(b"{},"),
    "lists": filled(b"[],"),
    "nested": filled(b"["),
    "numbers": filled(b"0,"),
    "texts": filled(b'"",'),
    "one key twice among a million": b"{" + KEYS + b'"a":0}',
    "as many numbers as are read": filled(b"0.12345,"),
}


@pytest.mark.parametrize("body", HEAVY.values(), ids=HEAVY.keys())
def test_body_made_to_keep_the_parser_busy_holds_nobody_up(running, support, body):
    got = []
    hostile = threading.Thread(target=lambda: got.append(running.post(body)))
    hostile.start()
    longest = 0.0
    while hostile.is_alive():
        began = time.monotonic()
        assert running.post({"instances": support.tolist()})[0] == 200
        longest = max(longest, time.monotonic() - began)
    ((status, answer),) = got
    assert (status, answer.keys()) == (400, {"error"})
    assert longest < NEIGHBOUR_SECONDS
