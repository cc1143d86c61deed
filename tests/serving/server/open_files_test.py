"""More connections than the process may open files."""

import contextlib
import resource
import signal
import socket
import urllib.request

import pytest

from tests.serving.server.running_server import PATIENCE
from tests.serving.server.server_process import ServerProcess
from tffs.serving.server.limits import Limits

OPEN_FILES = 160


@contextlib.contextmanager
def open_files(soft):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize(("files", "connections"), [(1024, 256), (256, 64), (8192, 1024)])
def test_connections_leave_half_of_the_files_to_the_rest(files, connections):
    with open_files(files):
        assert Limits().within_open_files() == Limits(connections=connections)


def test_idle_connections_of_both_kinds_neither_stop_the_server_nor_fill_its_log(exports):
    with ServerProcess(exports, OPEN_FILES) as started, contextlib.ExitStack() as stack:
        for _ in range(OPEN_FILES):
            for port in (started.rest_port, started.grpc_port):
                client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
                stack.enter_context(contextlib.closing(client))
        url = f"http://127.0.0.1:{started.rest_port}/v1/models/tffs"
        with urllib.request.urlopen(url, timeout=PATIENCE) as response:
            assert b"AVAILABLE" in response.read()
        started.process.send_signal(signal.SIGTERM)
        _, log = started.process.communicate(timeout=PATIENCE)
    assert log.count("REST connections are open") == 1
    lines = log.splitlines()
    assert lines[-2:] == ["Stopping: requests under way have 15 seconds.", "Stopped."]
    # A burst may come before the idle connections are closed; then that is said, too, and once.
    assert len(lines) <= 4
    assert log.count("Too many open files") == len(lines) - 3
