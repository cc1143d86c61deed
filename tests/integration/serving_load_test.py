"""The benchmark's load at small size: a real server process, many requests at once, every answer checked."""

import os

import pytest

from benchmarks.serving_load import load, questions, serving


@pytest.fixture(scope="module")
def asked(finished):
    return questions(os.path.join(finished.exports, "1"), 32)


@pytest.mark.parametrize("batching", [True, False])
def test_many_requests_at_once_get_their_own_answers(finished, asked, batching):
    with serving(finished.exports, batching) as server:
        for protocol in ("gRPC", "REST"):
            measured = load(protocol, server, asked, concurrency=64, requests=400)
            assert measured.failed == []
            assert (len(measured.latencies), measured.wrong) == (400, 0)
