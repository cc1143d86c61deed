"""Shared fixtures: one prepared dataset, one small finished run, and a way to run the command line."""

import contextlib
import gc
import io
import os
import pathlib
import sys
from typing import NamedTuple

# One thread, as the commands have by default, whichever test starts TensorFlow: pools are slow at these sizes,
# and those of NumPy wait for each other where every core has a test of its own.
os.environ.update(dict.fromkeys(("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1"))
os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1"))

import numpy as np
import pytest

import data_builders
from tests import chromium
from tests.forked import Forks
from tffs.main import main
from tffs.workdir import Workdir

# A run that takes seconds; every test that only needs some trained model shares it.
SMALL = (
    "--dataset=digits_r",
    "--method=concrete",
    "--target_task=rot45",
    "--validation_task=rot15",
    "--support_size=4",
    "--num_selected=6",
    "--steps=300",
    "--eval_every=100",
    "--selector_dim=20",
    "--embedding_units=16",
    "--decoder_units=16,16",
    "--jit=off",
    "--threads=1",
)

# The same for a table of a few columns.
QUICK = (
    "--method=concrete",
    "--support_size=3",
    "--num_selected=2",
    "--steps=60",
    "--eval_every=30",
    "--selector_dim=10",
    "--embedding_units=8",
    "--decoder_units=8",
    "--jit=off",
    "--threads=1",
)


# The same for a mode that does not start TensorFlow.
INSPECTED = tuple(flag for flag in QUICK if not flag.startswith("--threads"))

# The files that take longest, begun first so that no core waits for another in the end.
LONGEST = (
    *("dag_test.py", "bad_input_test.py", "processes_test.py", "process_test.py", "distribute_test.py"),
    *("real_data_test.py", "experiment_test.py", "table_test.py", "run_test.py", "multi_worker_test.py"),
    *(
        "question_test.py",
        "left_out_test.py",
        "selector_test.py",
        "given_rows_test.py",
        "conformance_test.py",
        "docstrings_test.py",
        "examples_test.py",
    ),
    *("serving_load_test.py", "streaming_test.py", "export_process_test.py", "export_test.py", "beam_test.py"),
)


def pytest_configure():
    """Look for no garbage until everything is imported: a million lasting objects take seconds."""
    gc.disable()


def pytest_collection_modifyitems(items):
    """Put long files first."""
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.name, len(LONGEST)))


def pytest_collection_finish():
    """Look for no garbage in what was imported: it stays, and is large."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000)  # graphs make many objects: by default, looking takes a fourteenth of all time


class Outcome(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session", autouse=True)
def exports_checked_here():
    """Check exports in this process, which has TensorFlow already; what fails is checked as for a user, too.

    `tests/serving/export_test.py` and all commands in processes of their own have the check of a user.
    """
    if "tensorflow" not in sys.modules:  # nothing is exported, or it is not worth the import
        yield
        return
    from tffs.serving import check_export, export

    real = export.check_version

    def check_here(path):
        try:
            check_export.main(path)
        except Exception:
            real(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export, "check_version", check_here)
        yield


@pytest.fixture(scope="session")
def mirror():
    """The folder with the real files, beside the clone or where the environment says."""
    beside = pathlib.Path(__file__).parents[2] / "shared" / "data"
    folder = pathlib.Path(os.environ.get(data_builders.MIRROR_VARIABLE, beside))
    if not (folder / "SHA256SUMS").is_file():
        pytest.skip(f"the real files are neither in {beside} nor where {data_builders.MIRROR_VARIABLE} says")
    return folder


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory):
    return str(tmp_path_factory.mktemp("tfds"))


@pytest.fixture(scope="session")
def run_main(data_dir, tmp_path_factory):
    """Run `main(argv)` in this process, with the data that all tests share in a flag file for every mode."""
    shared = tmp_path_factory.mktemp("flags") / "shared.flags"
    shared.write_text(f"--data_dir={data_dir}\n", encoding="utf-8")

    def run(*arguments: str) -> Outcome:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["tffs", f"--flagfile={shared}", *arguments])
        return Outcome(code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture(scope="session")
def finished(run_main, tmp_path_factory):
    """The workdir of a small finished run; tests must not change it."""
    workdir = Workdir(str(tmp_path_factory.mktemp("finished") / "run"))
    outcome = run_main(*SMALL, f"--workdir={workdir.path}")
    assert outcome.code == 0, outcome.err
    return workdir


@pytest.fixture(scope="session")
def forks():
    """Start commands in processes that have TensorFlow already; see `tests/forked.py`."""
    running = Forks()
    yield running
    running.close()


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium, started once a process; see `tests/chromium.py`."""
    if not chromium.is_installed():
        pytest.skip(chromium.MISSING)
    running = chromium.Browser()
    yield running
    running.close()


@pytest.fixture
def rng():
    return np.random.default_rng(0)
