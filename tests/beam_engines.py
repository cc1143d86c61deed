"""Engines that run Beam pipelines on this machine."""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import time

DIRECT = ("runner=DirectRunner",)
TWO_PROCESSES = (*DIRECT, "direct_running_mode=multi_processing", "direct_num_workers=2")
SECONDS = 60


@contextlib.contextmanager
def worker_pool(tmp_path):
    """Give options for a job server and a pool of workers, processes with a working directory of their own."""
    with socket.socket() as chosen:
        chosen.bind(("localhost", 0))
        pool_port = chosen.getsockname()[1]
    port_file, folder = tmp_path / "port", tmp_path / "elsewhere"
    folder.mkdir()
    runners = "apache_beam.runners"
    environment = {
        **os.environ,
        "PYTHONPATH": str(pathlib.Path(__file__).parents[1]),
        "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",  # the pool starts `python`
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
        )
        for command in (
            (f"{runners}.portability.local_job_service_main", f"--port_file={port_file}"),
            (f"{runners}.worker.worker_pool_main", f"--service_port={pool_port}"),
        )
    ]
    try:
        until(lambda: port_file.is_file() and port_file.read_text() and listens(pool_port), processes)
        yield (
            "runner=PortableRunner",
            f"job_endpoint=localhost:{port_file.read_text().strip()}",
            "environment_type=EXTERNAL",
            f"environment_config=localhost:{pool_port}",
        )
    finally:
        for process in processes:
            process.kill()
            process.wait()


def listens(port):
    with socket.socket() as asked:
        return asked.connect_ex(("localhost", port)) == 0


def until(happened, processes=()):
    """Wait for something that a process does."""
    deadline = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < deadline
        assert all(process.poll() is None for process in processes)
        time.sleep(0.05)


def workers(mark):
    """Find Beam's workers, and the shells that start them, by a variable of their environment."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found += [entry.name] * (b"sdk_worker_main" in (entry / "cmdline").read_bytes())
        except OSError:
            continue
    return found
