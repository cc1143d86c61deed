"""Where and how a benchmark runs: the machine, versions, and single-threaded child processes."""

import datetime
import importlib.metadata
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
from typing import Any

from tffs.whole_file import replacing

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "benchmarks", "results")
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def describe(packages: tuple[str, ...]) -> dict[str, Any]:
    """Describe the machine, the day and the versions."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{_cpu()}, {os.cpu_count()} cores, {platform.system()}",
        "load average at the start": round(os.getloadavg()[0], 2),
        "versions": {
            "python": platform.python_version(),
            **{package: importlib.metadata.version(package) for package in packages},
        },
    }


def last_core() -> int:
    """Choose the core to measure on: the last one this process may use."""
    return max(os.sched_getaffinity(0))


def run_child(module: str, arguments: list[str], extra_environment: dict[str, str] | None = None) -> Any:
    """Run a module in a process of its own with one thread in every pool.

    Args:
        module: the module's dotted name.
        arguments: its command line.
        extra_environment: variables to set.

    Returns:
        What the last line of its output holds as JSON.
    """
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1"), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**environment, **(extra_environment or {})},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{module} {' '.join(arguments)} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def output_folder(quick: bool) -> str:
    """Choose where results go: a quick run never replaces the committed ones."""
    folder = tempfile.mkdtemp(prefix="tffs-benchmarks-") if quick else RESULTS
    os.makedirs(folder, exist_ok=True)
    return folder


def write_json(path: str, value: Any) -> None:
    """Replace a file, whole or not at all."""
    with replacing(path) as part, open(part, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.write("\n")


def read_json(path: str) -> Any:
    """Read a file, or give None if there is none."""
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def header(title: str, command: str, about: dict[str, Any]) -> list[str]:
    """Write the lines with which every results page opens."""
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    return [
        f"# {title}",
        "",
        f"- Command: `{command}`",
        f"- Date: {about['date']}",
        f"- Machine: {about['machine']} (load average at the start {about['load average at the start']})",
        f"- Versions: {versions}",
        "",
    ]


def free_ports(count: int) -> list[int]:
    """Find ports that nobody has."""
    sockets = [socket.create_server(("", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _cpu() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()
