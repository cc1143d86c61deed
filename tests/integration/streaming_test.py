"""--cache=stream through the command line: the same run as in memory, with less memory."""

import itertools
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from tests.conftest import QUICK, SMALL
from tests.data_builders.table.files import write
from tffs.models import load_model
from tffs.workdir import Workdir


def table_text(rng):
    """Rows of four tasks with labels, in units far from [0, 1], a few values and labels missing."""
    lines = ["task,label,a,b,c,d,e"]
    for row in range(120):
        base = rng.normal()
        cells = [f"{base * scale + rng.normal():.6g}" for scale in (1, 50, 0.1, -3, 400)]
        if row % 11 == 0:
            cells[row % 5] = ""
        lines.append(",".join([f"t{row % 4}", "" if row == 50 else "high" if base > 0 else "low", *cells]))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = write(tmp_path_factory.mktemp("table") / "t.csv", table_text(np.random.default_rng(2)))
    return (f"--table={path}", "--task_column=task", *QUICK, "--target_task=t1")


def figures(workdir, name):
    """What a run found, without what depends on the clock."""
    result = workdir.read_json(name)
    return {name: figure for name, figure in result.items() if "second" not in name}


@pytest.fixture
def both(run_main, tmp_path):
    """Run a command in memory and streamed, and check that the models are the same bit for bit."""

    def run(modes, *command):
        workdirs = [Workdir(f"{tmp_path}/{cache}") for cache in ("memory", "stream")]
        for workdir, mode in itertools.product(workdirs, modes):
            cache = f"--cache={os.path.basename(workdir.path)}"
            outcome = run_main(*command, f"--mode={mode}", cache, f"--workdir={workdir.path}")
            assert outcome.code == 0, outcome.err
        models = [load_model(workdir.model).get_weights() for workdir in workdirs]
        for held, streamed in zip(*models, strict=True):
            np.testing.assert_array_equal(held, streamed)
        assert figures(workdirs[0], "training.json") == figures(workdirs[1], "training.json")
        return workdirs

    return run


def test_a_streamed_run_and_its_evaluation_are_those_in_memory_bit_for_bit(both):
    held, streamed = both(("train", "evaluate"), *SMALL, "--steps=120", "--eval_every=40")
    assert figures(held, "result.json") == figures(streamed, "result.json")
    for name in ("config.json", "support.csv"):
        assert pathlib.Path(held.file(name)).read_bytes() == pathlib.Path(streamed.file(name)).read_bytes()


@pytest.mark.parametrize(
    "flags",
    [
        ("--ignore_columns=label", "--missing=median"),
        ("--label_column=label", "--missing=drop_rows", "--scaling=standard"),
        ("--label_column=label", "--missing=drop_rows", "--loss=cross_entropy"),
    ],
    ids=["medians", "dropped rows", "classes"],
)
def test_a_table_streams_scaled_and_mended_as_in_memory(both, table, flags):
    both(("train",), *table, *flags)


def test_the_folder_of_a_run_takes_either(run_main, tmp_path):
    workdir = f"--workdir={tmp_path}/run"
    command = (*SMALL, "--steps=40", "--eval_every=20", workdir)
    assert run_main(*command, "--mode=train", "--cache=memory").code == 0
    outcome = run_main(*command, "--mode=train", "--cache=stream")
    assert outcome.code == 0
    assert "is trained already" in outcome.err


def test_experiments_hold_rows_in_memory_and_say_so(run_main):
    outcome = run_main("--mode=experiment", "--datasets=digits_r", "--cache=stream")
    assert outcome.code == 1
    assert "--cache is not used by --mode=experiment: leave it out." in outcome.err


TASKS, TASK_ROWS, FEATURES = 8, 25000, 512  # 410 MB of rows
ROOM = 350 * 2**20
# What the process takes by itself is not limited: it depends on the machine and on TensorFlow. Two cores,
# because every core brings threads, whose stacks count.
LIMITED = """
import os, resource, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
from tffs.startup import start_tensorflow
start_tensorflow(1)
import tffs.modes.evaluate, tffs.modes.export, tffs.modes.train
from tffs.main import main
with open("/proc/self/status", encoding="utf-8") as file:
    taken = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmData:"))
most = taken + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_DATA, (most, most))
sys.exit(main(["tffs", *sys.argv[2:]]))
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory, run_main, data_dir):
    """The flags of a table whose rows are larger than the room."""
    path = tmp_path_factory.mktemp("large") / "large.parquet"
    names = [f"x{feature}" for feature in range(FEATURES)]
    schema = pa.schema([("task", pa.string()), *((name, pa.float32()) for name in names)])
    rng = np.random.default_rng(0)
    with pa.parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for task in range(TASKS):
            x = rng.random((FEATURES, TASK_ROWS), np.float32)
            part = pa.table([pa.array([f"t{task}"] * TASK_ROWS), *x], schema=schema)
            writer.write_table(part, row_group_size=5000)
    flags = (f"--table={path}", "--task_column=task")
    assert run_main("--mode=prepare", *flags).code == 0
    yield (*flags, *QUICK, "--query_size=5")
    path.unlink()
    for prepared in pathlib.Path(data_dir, "table").glob("large-*"):
        shutil.rmtree(prepared)


@pytest.mark.parametrize("cache", ["memory", "stream"])
def test_rows_that_do_not_fit_into_memory_train_streamed_only(large, data_dir, tmp_path, cache):
    command = (
        *large,
        "--mode=train",
        f"--cache={cache}",
        f"--data_dir={data_dir}",
        f"--workdir={tmp_path}/run",
    )
    # One arena for all threads: others are reserved in tens of megabytes, which the limit counts as taken.
    small = {"MALLOC_ARENA_MAX": "1", "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(ROOM), *command],
        env={**os.environ, **small},
        capture_output=True,
        text=True,
        timeout=600,
    )
    if cache == "memory":
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == (
            "tffs: The 200000 rows of 512 features take 0.41 GB, and there is not so much memory: read them "
            "from the disk with --cache=stream."
        )
        return
    assert done.returncode == 0, done.stderr
    assert os.path.exists(f"{tmp_path}/run/model.keras")
