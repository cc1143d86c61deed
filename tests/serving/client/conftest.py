"""A client beside a stand-in for TensorFlow Serving, over each protocol."""

import pytest

from tests.serving.client.twin import Twin, over_grpc, rest
from tffs.serving import Client


@pytest.fixture
def twin():
    twin = Twin()
    yield twin
    twin.released.set()


@pytest.fixture(params=["rest", "grpc"])
def address(request, twin):
    with (rest if request.param == "rest" else over_grpc)(twin) as address:
        yield address
        twin.released.set()  # before the server waits for its last answer


@pytest.fixture
def client(address):
    with Client(address) as client:
        yield client
