"""Real processes: start-up, kills, signals, full disks, use from any folder."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.conftest import SMALL
from tffs.models import load_model
from tffs.workdir import Workdir

# Long enough to be killed in the middle: a checkpoint is due every second.
LONG = (*SMALL, "--mode=train", "--steps=9000", "--eval_every=500")


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "tffs.main", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(*arguments):
    process = start(*arguments)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def wait_for_checkpoint(workdir, process, at_least=1):
    """Wait until a checkpoint is whole, while the process trains on."""
    folder = workdir.file("checkpoints")
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if os.path.isdir(folder) and sum(name.endswith(".index") for name in os.listdir(folder)) >= at_least:
            return
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"no checkpoint came: {process.communicate()}")


def weights(workdir):
    return load_model(workdir.model).get_weights()


# What is not killed, stopped or limited runs in this process, which has TensorFlow already.
@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory, run_main):
    workdir = Workdir(str(tmp_path_factory.mktemp("uninterrupted") / "run"))
    outcome = run_main(*LONG, f"--workdir={workdir.path}")
    assert outcome.code == 0, outcome.err
    return workdir


def assert_same_model(workdir, expected):
    for one, other in zip(weights(workdir), weights(expected), strict=True):
        np.testing.assert_array_equal(one, other)
    one, other = workdir.read_json("training.json"), expected.read_json("training.json")
    for figure in ("best_step", "validation_loss", "validation_distinct"):
        assert one[figure] == other[figure]


def test_killed_twice_and_resumed_ends_bit_identical_when_compiled(tmp_path, data_dir, run_main, forks):
    compiled = (*LONG, "--jit=on", "--steps=40000", f"--data_dir={data_dir}")
    expected, workdir = Workdir(str(tmp_path / "expected")), Workdir(str(tmp_path / "run"))
    outcome = run_main(*compiled, f"--workdir={expected.path}")
    assert outcome.code == 0, outcome.err
    command = (*compiled, f"--workdir={workdir.path}")
    for kill in (1, 2):
        process = forks.start("tffs.main", *command)
        wait_for_checkpoint(workdir, process, at_least=kill)
        process.kill()
        process.communicate()
        assert workdir.read_json("training.json") is None
    resumed = run_main(*command)
    assert resumed.code == 0, resumed.err
    assert "Resuming at step" in resumed.err
    assert_same_model(workdir, expected)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_says_how_to_resume_and_a_cut_checkpoint_falls_back(
    number, uninterrupted, tmp_path, data_dir, run_main, forks
):
    workdir = Workdir(str(tmp_path / "run"))
    command = (*LONG, f"--workdir={workdir.path}", f"--data_dir={data_dir}")
    process = forks.start("tffs.main", *command)
    wait_for_checkpoint(workdir, process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "Traceback" not in err
    saved = int(err.split("saved at step ")[1].split(":")[0])
    assert "the same command resumes" in err
    checkpoint = workdir.file(f"checkpoints/ckpt-{saved}.data-00000-of-00001")
    os.truncate(checkpoint, os.path.getsize(checkpoint) // 2)
    resumed = run_main(*command)
    assert resumed.code == 0, resumed.err
    assert f"ckpt-{saved} is damaged" in resumed.err
    assert "Resuming at step" in resumed.err
    assert_same_model(workdir, uninterrupted)


def test_a_full_disk_gets_one_sentence_and_the_run_resumes(uninterrupted, tmp_path, data_dir, run_main, forks):
    workdir = Workdir(str(tmp_path / "run"))
    command = (*LONG, f"--workdir={workdir.path}", f"--data_dir={data_dir}")
    process = forks.start("tffs.main", *command, largest_file=20_000)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (1, ""), err
    assert "Traceback" not in err
    assert "could not be written" in err.splitlines()[-1]
    assert "File too large" in err.splitlines()[-1]
    resumed = run_main(*command)
    assert resumed.code == 0, resumed.err
    assert_same_model(workdir, uninterrupted)


def test_inspect_prints_nothing_of_tensorflow_and_does_not_import_it(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("task,a,b\n" + "".join(f"{'uvw'[i % 3]},{i % 7},{i % 5}\n" for i in range(90)))
    code = (
        "import sys; from tffs.main import main; code = main(['tffs', *sys.argv[1:]]); "
        "sys.exit(code or 2 * ('tensorflow' in sys.modules))"
    )
    flags = ["--mode=inspect", f"--table={table}", "--task_column=task", "--num_selected=2"]
    ended = subprocess.run([sys.executable, "-c", code, *flags], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == f"Reading {table} ...\n"


def test_help_and_mistakes_answer_within_a_second_without_tensorflow():
    for arguments, code in ((("--help",), 0), ((), 1), (("--stepz=3",), 1), (("--dataset=nope",), 1)):
        seconds = []
        for _ in range(3):  # the best of three, on a machine that may be busy
            began = time.monotonic()
            result = run(*arguments)
            seconds.append(time.monotonic() - began)
            assert result[0] == code, result
        assert min(seconds) < 1.0, (arguments, seconds)
    code = (
        "import sys; from tffs.main import main; main(['tffs', '--help']); main(['tffs', '--stepz=3']);"
        "sys.exit(any(name in sys.modules for name in ('tensorflow', 'keras', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_published_flagfile_is_found_from_any_folder_and_streams_are_kept_apart(
    tmp_path, data_dir, run_main, monkeypatch
):
    small = [flag for flag in SMALL if not flag.startswith(("--dataset", "--support", "--num_selected"))]
    monkeypatch.chdir(tmp_path)
    trained = run_main("--flagfile=digits_r", *small, "--steps=20")
    assert trained.code == 0, trained.err
    assert os.path.exists(tmp_path / "runs" / "digits_r" / "result.json")
    code, out, err = run("--flagfile=digits_r.flags", *small, "--steps=20", f"--data_dir={data_dir}")
    assert code == 0, err
    assert out.startswith("Trained 20 steps")
    # Every line on standard error is ours: nothing of TensorFlow's start-up.
    for line in err.splitlines():
        assert line.startswith(("Loading", "Training on", "runs/digits_r is trained already"))


def test_a_flagfile_of_ones_own_goes_before_a_published_one(tmp_path, run_main, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "digits_r").write_text("--dataset=digits_r\n--mode=prepare\n")
    prepared = run_main("--flagfile=digits_r")
    assert prepared.code == 0
    assert "6 tasks" in prepared.out


def test_select_prints_nothing_but_json_on_standard_output(finished):
    code, out, err = run(
        *("--mode=select", f"--model={finished.path}", "--format=json"),
        f"--support={finished.file('support.csv')}",
    )
    assert code == 0, err
    assert json.loads(out)["version"] == 1
    assert err == ""


def test_an_interrupt_before_training_stops_at_once(tmp_path, data_dir):
    process = start(*LONG, f"--workdir={tmp_path}/run", f"--data_dir={data_dir}")
    assert process.stderr.readline().startswith("Loading")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
