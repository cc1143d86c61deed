import numpy as np
import pytest
from tensorflow_serving.apis import predict_pb2

from tests.serving.server.running_server import predict_request
from tffs.serving.server.message_fields import count_fields

KIND = predict_pb2.PredictRequest.DESCRIPTOR


def test_fields_of_messages_in_a_message_are_counted():
    request = predict_request(support=np.zeros((1, 2), np.float32))
    # model_spec and its name; an input with its key and value, which has a type, contents, and a shape of two
    # dimensions that have a size each.
    assert count_fields(request.SerializeToString(), KIND, 1000) == 2 + 3 + 2 + 1 + 2 * 2


def test_packed_numbers_are_one_field():
    request = predict_pb2.PredictRequest()
    request.inputs["support"].float_val.extend([0.5] * 10_000)
    assert count_fields(request.SerializeToString(), KIND, 1000) == 4


@pytest.mark.parametrize(
    "content",
    [
        b"\x12\x00" * 10_000,
        b"\x1a\x00" * 10_000,
        b"\x0b\x0c" * 10_000,
        b"\x08\x01" * 10_000,
        b"\x0d1234" * 10_000,
    ],
    ids=["inputs", "strings", "groups", "unknown numbers", "unknown fixed"],
)
def test_counting_stops_at_the_limit(content):
    assert count_fields(content, KIND, 100) == 101


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"\x80" * 10_000_000, b"\x12\xff\xff\xff\xff\x0f", bytes(range(256))]
)
def test_bytes_that_are_no_message_are_counted_up_to_there(content):
    assert count_fields(content, KIND, 1000) < 100
