"""The command line's server in a process of its own."""

import contextlib
import re
import subprocess
import sys

PROGRAM = """
import resource, sys
from tffs.main import main
files = int(sys.argv[1])
if files:
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
sys.exit(main(["tffs", "--mode=serve", *sys.argv[2:]]))
"""


def start(base, open_files=0):
    """Start a server on free ports, which may open so many files; 0 for as many as this process."""
    ports = ["--port=0", "--rest_api_port=0"]
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(open_files), f"--model_base_path={base}", *ports],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextlib.contextmanager
def killed_at_the_end(process):
    try:
        yield
    finally:
        process.kill()
        process.communicate()


class ServerProcess:
    """A server that answers; the ports are in what it prints."""

    def __init__(self, base, open_files=0):
        self.process = start(base, open_files)
        self.greeting = "".join(self.process.stdout.readline() for _ in range(3))
        found = re.search(r"REST at 127\.0\.0\.1:(\d+), gRPC at 127\.0\.0\.1:(\d+)", self.greeting)
        assert found, self.greeting + self.process.stderr.read()
        self.rest_port, self.grpc_port = map(int, found.groups())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
