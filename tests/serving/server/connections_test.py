import asyncio
import contextlib
import json
import shutil
import socket
import threading
import zlib

import numpy as np
import pytest

from tests.serving.server.running_server import PATIENCE, RunningServer
from tffs.serving.server.limits import Limits

LIMITS = Limits(rest_bytes=100_000, body_bytes=150_000, body_seconds=0.3, linger_seconds=0.2, connections=5)
HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"  # its preface, and no settings


@pytest.fixture(scope="module")
def running(exported, tmp_path_factory):
    base = tmp_path_factory.mktemp("limited") / "export"
    shutil.copytree(exported, base / "1")
    with RunningServer(base, LIMITS) as running:
        yield running


@contextlib.contextmanager
def connected(running, port=None):
    client = socket.create_connection(("127.0.0.1", port or running.server.rest_port), timeout=PATIENCE)
    with contextlib.closing(client):
        yield client


def head(running, length, more=""):
    return f"POST {running.url()} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n{more}\r\n".encode()


def read_all(client):
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := client.recv(65536):
            received += chunk
    return received


def error_of(received):
    header, _, body = received.partition(b"\r\n\r\n")
    return int(header.split()[1]), json.loads(body)["error"]


def good_body():
    return json.dumps({"instances": np.full((1, 2, 6), 0.5).tolist()}).encode()


def still_answers(running):
    assert running.post(good_body())[0] == 200


def test_announced_body_of_100_megabytes_is_refused_unread(running):
    with connected(running) as client:
        client.sendall(head(running, 100 * 2**20))
        status, error = error_of(read_all(client))
    assert (status, error) == (413, "The body is larger than 100000 bytes: send several requests.")
    still_answers(running)


def test_unannounced_body_is_read_up_to_the_limit(running):
    with connected(running) as client:
        client.sendall(
            f"POST {running.url()} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        )
        client.sendall((b"4000\r\n" + b" " * 0x4000 + b"\r\n") * 8)
        assert error_of(read_all(client))[0] == 413
    still_answers(running)


def test_body_that_is_small_only_when_compressed_is_refused(running):
    packer = zlib.compressobj(wbits=31)
    bomb = packer.compress(b" " * 10_000_000) + packer.flush()
    assert len(bomb) < 100_000
    with connected(running) as client:
        client.sendall(head(running, len(bomb), "Content-Encoding: gzip\r\n") + bomb)
        assert error_of(read_all(client))[0] == 413
    still_answers(running)


def test_slow_client_gets_a_408_and_holds_nobody_up(running):
    with connected(running) as client:
        client.sendall(head(running, len(good_body())) + good_body()[:10])
        still_answers(running)
        assert error_of(read_all(client))[0] == 408


def test_client_that_hangs_up_half_way_harms_nobody(running):
    for part in (b"POST /v1/mod", head(running, 500), head(running, 500) + good_body()[:20]):
        with connected(running) as client:
            client.sendall(part)
    still_answers(running)


def test_client_that_waits_for_leave_gets_it(running):
    with connected(running) as client:
        client.sendall(head(running, len(good_body()), "Expect: 100-continue\r\nConnection: close\r\n"))
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(good_body())
        assert read_all(client).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(32)) + b"\r\n\r\n",  # TLS
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -4\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/models/tffs:predict HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/models/tffs:predict HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nzzzz",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_what_is_no_http_gets_the_error_in_json(running, garbage):
    with connected(running) as client:
        client.sendall(garbage)
        received = read_all(client)
    status, error = error_of(received)
    assert status in (400, 404, 414, 431)
    assert "Traceback" not in error
    still_answers(running)


async def no_connections(running):
    while running.server._rest.server.connections:
        await asyncio.sleep(0.001)


def test_new_connection_takes_the_place_of_the_one_that_is_idle_longest(running):
    running.call(no_connections(running))
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connected(running)) for _ in range(LIMITS.connections)]
        clients[0].sendall(head(running, len(good_body())) + good_body())
        assert clients[0].recv(15) == b"HTTP/1.1 200 OK"
        for _ in range(2):
            stack.enter_context(connected(running))
        assert [read_all(client) for client in clients[1:3]] == [b"", b""]
        clients[3].sendall(f"GET {running.url('')} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert clients[3].recv(15) == b"HTTP/1.1 200 OK"
    running.call(no_connections(running))
    assert sum("5 REST connections are open" in line for line in running.lines) == 1


def test_connection_beyond_those_that_are_busy_is_closed(exports):
    with RunningServer(exports, Limits(connections=2)) as running, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connected(running)) for _ in range(2)]
        for client in clients:
            client.sendall(head(running, len(good_body())) + good_body()[:10])
        running.wait_until(lambda: running.server._model.gate._under_way == 2)
        assert read_all(stack.enter_context(connected(running))) == b""
        for client in clients:
            client.sendall(good_body()[10:])
            assert client.recv(15) == b"HTTP/1.1 200 OK"


def grpc_connected(running):
    return connected(running, running.server.grpc_port)


def test_grpc_connections_are_bounded(exports):
    with RunningServer(exports, Limits(connections=2)) as running, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(grpc_connected(running)) for _ in range(2)]
        for client in clients:
            client.sendall(HTTP2)
            assert client.recv(9)
        assert read_all(stack.enter_context(grpc_connected(running))) == b""
        still_answers(running)


@pytest.mark.parametrize("sent", [b"", HTTP2], ids=["silent", "idle"])
def test_idle_grpc_connections_are_closed(exports, support, sent):
    limits = Limits(connections=2, idle_seconds=0.3)
    with RunningServer(exports, limits) as running, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(grpc_connected(running)) for _ in range(2)]
        for client in clients:
            client.sendall(sent)
        for client in clients:
            read_all(client)
        assert len(running.predict(support=support).outputs) == 5


def test_connections_that_never_send_a_whole_header_give_their_places_back(exports):
    with (
        RunningServer(exports, Limits(connections=3, idle_seconds=0.3)) as running,
        contextlib.ExitStack() as stack,
    ):
        clients = [stack.enter_context(connected(running)) for _ in range(3)]
        clients[1].sendall(b"POST /v1/mod")
        clients[2].sendall(f"GET {running.url('')} HTTP/1.1\r\nHost: x\r\n\r\nGET /v1".encode())
        assert [b"AVAILABLE" in read_all(client) for client in clients] == [False, False, True]
        running.call(no_connections(running))
        still_answers(running)


def test_many_large_bodies_at_once_are_unavailable(running):
    """Two bodies that each are small enough are too much together."""
    filler = b" " * 90_000
    got = []

    def send():
        with connected(running) as client:
            with contextlib.suppress(ConnectionError):
                client.sendall(head(running, 95_000) + filler)
            got.append(error_of(read_all(client))[0])

    threads = [threading.Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [408, 503]
    still_answers(running)
