"""Where a figure comes from: the code, the machine and the packages that made it."""

import functools
import importlib.metadata
import os
import pathlib
import platform
import shlex
import subprocess
import sys

import tffs

PACKAGES = ("tensorflow", "keras", "tensorflow-datasets", "numpy", "scikit-learn")


def versions() -> dict[str, str]:
    """Give the versions of tffs, Python and the packages that figures depend on."""
    found = {package: _version(package) for package in PACKAGES}
    return {"tffs": tffs.__version__, "python": platform.python_version(), **found}


def _version(package: str) -> str:
    """Give a package's version, also that of its build for processors alone."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return importlib.metadata.version(f"{package}-cpu")


def machine() -> str:
    """Describe the processor, its cores and the system."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores, {platform.system()}"


def command() -> str:
    """Give the command that this process was started with, to be given again."""
    return shlex.join(["python", "-m", "tffs.main", *sys.argv[1:]])


@functools.cache
def commit() -> str | None:
    """Give the commit of this code, marked where the code was changed since; None outside a repository."""
    folder = pathlib.Path(__file__).parent
    try:
        found = _git(folder, "rev-parse", "--short=12", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--", ".")
    except (OSError, subprocess.CalledProcessError):
        return None
    return found + ("-changed" if changed else "")


def _git(folder: pathlib.Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()
