import contextlib
import json
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest

from tests.serving.client.twin import Fault, Quiet, http_server, over_grpc, rest
from tffs.errors import UserError
from tffs.serving import Client, ServerUnavailable

ROWS = np.zeros((2, 4))


@pytest.fixture
def rest_address(twin):
    with rest(twin) as address:
        yield address
        twin.released.set()


def run(script):
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    return ran.stdout, ran.stderr


def test_tensorflow_is_not_imported(rest_address):
    script = (
        "import sys, numpy; from tffs.serving import Client\n"
        f"with Client('{rest_address}') as client:\n"
        "    print(client.select(numpy.zeros((2, 4)))['feature'].tolist(), 'tensorflow' in sys.modules)\n"
    )
    assert run(script) == ("['c', 'a'] False\n", "")


def test_select_mode_does_not_import_tensorflow_for_rest(rest_address, tmp_path):
    np.save(tmp_path / "support.npy", ROWS)
    arguments = ["tffs", "--mode=select", f"--server={rest_address}", f"--support={tmp_path}/support.npy"]
    out, err = run(
        f"import sys; from tffs.main import main; print(main({arguments}), 'tensorflow' in sys.modules)"
    )
    assert (out.splitlines()[-2:], err) == (["2 distinct of 2", "0 False"], "")


def test_connection_that_is_lost_before_the_answer_is_made_anew(rest_address, twin):
    with Client(rest_address) as client:
        client.describe()
        twin.faults = [Fault(0)]
        assert client.select(ROWS)["feature"].tolist() == ["c", "a"]
    assert twin.requests.count("select") == 2


def answering(status, content, kind="text/html", length=None):
    class Handler(Quiet):
        def do_GET(self):  # noqa: N802
            self.send(status, content, kind, length)
            self.close_connection = True

    return Handler


@pytest.mark.parametrize(
    ("status", "content", "fragment"),
    [
        (200, b"<html>Welcome to nginx!</html>", "not as TensorFlow Serving.* .status 200, text/html.: check"),
        (404, b"<html>Not Found</html>", "status 404, text/html"),
        (301, b"", "status 301"),
        (200, b"[1, 2]", "status 200"),
        (200, b"{}", "its metadata names no version"),
        (400, b'{"error": {"code": 3}}', "status 400"),
    ],
)
def test_server_of_another_kind_is_named(status, content, fragment):
    with http_server(answering(status, content)) as port, Client(f"http://127.0.0.1:{port}") as client:
        with pytest.raises(UserError, match=fragment) as caught:
            client.describe()
        assert not isinstance(caught.value, ServerUnavailable)


def test_half_an_answer_is_no_answer():
    whole = json.dumps({"model_spec": {"version": "1"}}).encode()
    with http_server(answering(200, whole[:-9], length=len(whole))) as port:
        client = Client(f"http://127.0.0.1:{port}", timeout=0.5)
        with client, pytest.raises(ServerUnavailable, match="No answer"):
            client.describe()


def test_answer_that_trickles_is_cut_off_at_the_deadline(twin):
    class Trickling(Quiet):
        def do_GET(self):  # noqa: N802
            self.send(200, b"{", length=1_000_000)
            while not twin.released.wait(0.02):
                self.wfile.write(b" ")

    with http_server(Trickling) as port, Client(f"http://127.0.0.1:{port}", timeout=0.3) as client:
        with pytest.raises(ServerUnavailable, match="did not answer within 0.3 s"):
            client.describe()
        twin.released.set()


@pytest.mark.parametrize("kind", ["status line", "header", "chunk size"])
def test_whole_answer_has_the_time_of_the_call(twin, kind):
    """Each byte is received well within the time of the call."""
    head = {
        "status line": b"HTTP/1.1 2",
        "header": b"HTTP/1.1 200 OK\r\nX: ",
        "chunk size": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    }[kind]

    class Trickling(Quiet):
        def do_GET(self):  # noqa: N802
            self.wfile.write(head)
            while not twin.released.wait(0.05):
                self.wfile.write(b"0")

    with http_server(Trickling) as port, Client(f"http://127.0.0.1:{port}", timeout=0.3) as client:
        began = time.monotonic()
        with pytest.raises(ServerUnavailable, match="did not answer within 0.3 s"):
            client.describe()
        twin.released.set()
        assert time.monotonic() - began < 2.0


@pytest.mark.parametrize("compressed", [False, True])
def test_endless_answer_is_given_up(compressed):
    class Endless(Quiet):
        def do_GET(self):  # noqa: N802
            self.send_response(200)
            self.send_header("Connection", "close")
            packer = zlib.compressobj(wbits=31)
            if compressed:
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            piece = b" " * 2**20
            with contextlib.suppress(ConnectionError):
                for _ in range(200):
                    self.wfile.write(packer.compress(piece) if compressed else piece)
            self.close_connection = True

    with http_server(Endless) as port, Client(f"http://127.0.0.1:{port}") as client:
        with pytest.raises(UserError, match="its answer is larger than 33554432 bytes") as caught:
            client.describe()
        assert not isinstance(caught.value, ServerUnavailable)


def test_connection_is_kept_between_calls(twin, rest_address):
    with Client(rest_address) as client:
        for _ in range(5):
            client.select(ROWS)
    assert twin.connections == 1


def test_grpc_port_asked_for_rest_is_named(twin):
    with over_grpc(twin) as address, pytest.raises(ServerUnavailable, match="check .* this is its REST port"):
        Client(f"http://{address}", timeout=0.5).describe()


def test_rest_port_asked_for_grpc_is_named(rest_address):
    with pytest.raises(ServerUnavailable, match="check .* this is its gRPC port"):
        Client(rest_address.removeprefix("http://"), timeout=0.5).describe()


def test_plain_server_asked_for_tls_is_named(rest_address):
    with pytest.raises(ServerUnavailable, match="No trusted connection to the model server at https://"):
        Client(rest_address.replace("http", "https")).describe()
