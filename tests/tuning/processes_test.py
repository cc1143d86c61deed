"""Searches in real processes: killed, stopped, resumed, and spread over a chief and workers."""

import collections
import json
import os
import pathlib
import signal
import time

import pytest

from tests.conftest import SMALL
from tests.distribute.loopback import free_ports
from tffs import flags
from tffs.tuning.budget import budget_of
from tffs.tuning.oracles import make_oracle
from tffs.tuning.search_space import read_space
from tffs.tuning.training import bench_of
from tffs.tuning.trial import Job
from tffs.tuning.trials import Trials
from tffs.workdir import Workdir

STEPS = 90
RUN = (*SMALL, f"--steps={STEPS}", "--eval_every=30", "--mode=tune")
# Enough trials that a kill and a signal find the search in the middle; the last one diverges.
RATES = (0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.03, 1e25)
RANDOM = (*RUN, "--tuner=random", f"--trials={len(RATES)}", "--workers=1")


class Silent:
    """Hears of every step and says nothing."""

    def update(self, status, final=False):
        pass

    def end(self):
        pass


@pytest.fixture(scope="module")
def start(forks):
    """Start commands, and end what a failed test leaves behind: a chief would wait for its worker."""
    started = []

    def make(*arguments, **environment):
        path = str(pathlib.Path(__file__).parents[2])
        environment = {**os.environ, "PYTHONPATH": path, **environment}
        started.append(forks.start("tffs.main", *arguments, env=environment))
        return started[-1]

    yield make
    for process in started:
        process.kill()


def finish(process):
    out, err = process.communicate(timeout=300)
    assert "Traceback" not in err, err
    assert "oneDNN" not in err, err  # as TensorFlow says when it starts
    return process.returncode, out, err


def lines_of(folder):
    path = folder / "trials.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def wait_for_trials(folder, process, count):
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and process.poll() is None:
        if len(lines_of(folder)) >= count:
            return
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"{count} trials did not come: {process.communicate()}")


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    path = tmp_path_factory.mktemp("space") / "rates.toml"
    path.write_text(f"[learning_rate]\nchoices = {list(RATES)}\n")
    return f"--search_space={path}"


@pytest.fixture(scope="module")
def expected(space, data_dir, tmp_path_factory):
    """The rows of the search that the killed one must end with, made in this process."""
    command = flags.parse(["tffs", *RANDOM, space, f"--data_dir={data_dir}"])
    bench = bench_of(command.run, command.place)
    workdir = Workdir(str(tmp_path_factory.mktemp("expected")))
    budget = budget_of("random", len(RATES), STEPS)
    space = read_space(command.tune.search_space, command.run)
    oracle = make_oracle("random", budget, space, 0, {}, workdir)
    trials = Trials(oracle, space, budget, bench.setting.config, workdir)
    trials.settle(trials.default_job, bench.outcome(trials.default_job, Silent()))
    while isinstance(job := trials.proposed("worker0"), Job):
        trials.settle(job, bench.outcome(job, Silent()))
    return trials.rows()


@pytest.fixture(scope="module")
def resumed(space, data_dir, tmp_path_factory, run_main, start):
    """A search that was killed, then stopped by a signal, then finished."""
    folder = tmp_path_factory.mktemp("resumed") / "search"
    command = (*RANDOM, space, f"--workdir={folder}", f"--data_dir={data_dir}")
    process = start(*command)
    wait_for_trials(folder, process, 2)
    process.kill()
    process.communicate()
    before = lines_of(folder)
    assert 2 <= len(before) < len(RATES)
    process = start(*command)
    wait_for_trials(folder, process, len(before) + 1)
    process.send_signal(signal.SIGTERM)
    code, out, err = finish(process)
    assert (code, out) == (128 + signal.SIGTERM, "")
    assert f"{len(before) - 1} trials are done already." in err
    assert "the same command goes on from what is saved" in err
    finished = run_main(*command)  # in this process, which has TensorFlow already
    assert finished.code == 0, finished.err
    assert "Traceback" not in finished.err
    assert lines_of(folder)[: len(before)] == before
    return folder, finished.out


def test_killed_and_stopped_a_search_loses_and_repeats_no_trial(resumed, expected):
    folder, out = resumed
    lines = lines_of(folder)
    assert [line["trial"] for line in lines] == [row.trial for row in expected]
    for line, row in zip(lines, expected, strict=True):
        assert (line["flags"], line["steps"], line["error"]) == (row.flags, STEPS, row.error)
        if row.figures is not None:
            assert line["validation_loss"] == row.loss
    (failed,) = [line for line in lines if line["status"] == "failed"]
    assert failed["flags"] == {"learning_rate": 1e25}
    assert "lower --learning_rate" in failed["error"]
    best = min((line for line in lines if line["status"] == "ok"), key=lambda line: line["validation_loss"])
    assert out.splitlines()[1].split()[0] == best["trial"]
    assert f"{len(RATES)} trials of {len(RATES) * STEPS} steps in all" in out
    assert (folder / "tuning.png").stat().st_size > 10_000


def test_the_same_command_again_prints_the_same_and_trains_nothing(resumed, space, run_main):
    folder, out = resumed
    whole = (folder / "trials.jsonl").read_text()
    # As a kill between the oracle's state and the list of the last trial leaves it.
    (folder / "trials.jsonl").write_text("".join(whole.splitlines(keepends=True)[:-1]))
    again = run_main(*RANDOM, space, f"--workdir={folder}")
    assert again.code == 0, again.err
    assert again.out == out
    assert (folder / "trials.jsonl").read_text() == whole
    other = run_main(*RANDOM, space, f"--workdir={folder}", "--tuner=bayesian", "--seed=4")
    assert other.code == 1
    assert "holds another search, made with --tuner=random (now bayesian), --seed=0 (now 4): " in other.err


def test_best_flags_trains_what_was_found(resumed, run_main):
    folder, out = resumed
    flagfile = folder / "best.flags"
    assert f"--flagfile={flagfile}" in out
    done = run_main(f"--flagfile={flagfile}", "--mode=train", "--threads=1")
    assert done.code == 0, done.err
    best = next(line for line in lines_of(folder) if line["trial"] == out.splitlines()[1].split()[0])
    trained = Workdir(str(folder / "best")).read_json("training.json")
    assert trained["validation_loss"] == best["validation_loss"]
    assert trained["best_step"] == best["best_step"]


def test_a_chief_and_workers_search_together_and_short_rungs_are_short(data_dir, tmp_path, start):
    (tmp_path / "space.toml").write_text('[learning_rate]\nlow = 0.001\nhigh = 0.01\nscale = "log"\n')
    command = (
        *(*RUN, "--tuner=hyperband", "--trials=4", f"--search_space={tmp_path}/space.toml"),
        *(f"--workdir={tmp_path}/search", f"--data_dir={data_dir}"),
    )
    port = str(free_ports(1)[0])
    place = {"KERASTUNER_ORACLE_IP": "127.0.0.1", "KERASTUNER_ORACLE_PORT": port}
    chief = start(*command, **place, KERASTUNER_TUNER_ID="chief")
    stranger = start(*command, "--seed=7", **place, KERASTUNER_TUNER_ID="tuner1")
    worker = start(*command, **place, KERASTUNER_TUNER_ID="tuner0")
    code, _, err = finish(stranger)
    assert code == 1
    assert f"The chief at 127.0.0.1:{port} searches with --seed=0 (now 7): start chief and workers" in err
    code, out, err = finish(worker)
    assert code == 0, err
    assert "The search is over; this worker trained 6 trials." in out
    code, out, err = finish(chief)
    assert code == 0, err
    assert "as many as 4 full trainings" in out
    default, *trials = lines_of(tmp_path / "search")
    assert (default["trial"], default["steps"], default["status"]) == ("default", STEPS, "ok")
    assert collections.Counter(line["steps"] for line in trials) == {30: 3, 90: 3}
    short = sorted(trials[:3], key=lambda line: line["validation_loss"])
    assert trials[3]["flags"] == short[0]["flags"]  # the best third is trained in full
    assert not (tmp_path / "search" / "best").exists()
