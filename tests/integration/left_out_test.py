"""Runs of the posterior on a table: every task left out once, one held out, or none."""

import json
import math
import os

import numpy as np
import pytest

from tests.data_builders.table.files import write
from tffs.evaluation.result import OF_UNSEEN
from tffs.workdir import Workdir

NAMES = ("heat", "load, avg", "rpm", "noise", "still")
QUICK = ("--num_selected=2", "--support_size=3", "--threads=1")


def text_of(tasks):
    """A CSV of tasks, by name, each [rows, features]."""
    header = ",".join(["machine", *(f'"{name}"' for name in NAMES)])
    lines = [",".join([name, *(f"{value:.6g}" for value in row)]) for name, x in tasks.items() for row in x]
    return "\n".join([header, *lines]) + "\n"


def rows_of(rng, count, shift=0.0):
    latent = rng.normal(size=(count, 2))
    mixed = latent @ np.array([[5.0, 0.01, 300.0, 0.0], [0.0, 0.02, 100.0, 1.0]])
    mixed += rng.normal(size=(count, 4)) * [0.5, 0.002, 20.0, 0.1]
    offsets = np.array([20.0 + shift, 0.5, 3000.0, shift])
    return np.concatenate([mixed + offsets, np.full((count, 1), 7.0)], axis=1)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(3)
    tasks = {f"m{number}": rows_of(rng, 30, number) for number in range(6)}
    tasks["once"] = rows_of(rng, 1)
    return write(tmp_path_factory.mktemp("machines") / "machines.csv", text_of(tasks))


def run(run_main, table, workdir, *more):
    flags = (f"--table={table}", "--task_column=machine", *QUICK, f"--workdir={workdir.path}", *more)
    outcome = run_main(*flags)
    assert outcome.code == 0, outcome.err
    return outcome, workdir.read_json("result.json")


def measured(run_main, table, workdir, *more):
    """Train and evaluate, without the export that a whole run ends with."""
    flags = (f"--table={table}", "--task_column=machine", *QUICK, f"--workdir={workdir.path}", *more)
    trained = run_main("--mode=train", *flags)
    assert trained.code == 0, trained.err
    assert run_main("--mode=evaluate", f"--workdir={workdir.path}").code == 0
    return trained, workdir.read_json("result.json")


@pytest.fixture(scope="module")
def left_out(table, run_main, tmp_path_factory):
    workdir = Workdir(str(tmp_path_factory.mktemp("left_out") / "run"))
    return (workdir, *run(run_main, table, workdir))


def test_every_task_is_left_out_once_and_its_figures_are_kept(left_out):
    workdir, outcome, result = left_out
    assert (result["evaluated_on"], result["target_task"]) == ("left_out", None)
    assert [task["task"] for task in result["tasks"]] == [*(f"m{number}" for number in range(6)), "once"]
    errors = [task["relative_error"] for task in result["tasks"]]
    assert result["relative_error"] == pytest.approx(np.median(errors))
    found = result["left_out"]["relative_error"]
    assert found["worst"] == max(errors)
    assert f"worst is task {found['worst_task']}" in outcome.out
    assert result["tasks"][-1]["support_rows"] == 0  # half of one row
    assert [point["num_selected"] for point in result["curve"]] == [0, 1, 2, 3, 4, 5]
    assert set(result["yardsticks"]) == {"greedy", "variance", "random"}
    assert len(result["selected"]) == 2
    assert set(OF_UNSEEN) <= result.keys()
    still = next(line for line in result["features"] if line["feature"] == "still")
    assert (still["chosen"], still["rmse"], still["share"]) == (0.0, 0.0, None)
    for name in ("curve.png", "features.png"):
        assert os.path.getsize(workdir.file(name)) > 5000


def test_the_page_has_the_curve_the_tasks_and_the_features(left_out):
    _, outcome, result = left_out
    for expected in (
        "Each of 7 tasks was left out once, in 5 folds",
        "2 features chosen greedily",
        f"From {result['left_out']['suggested_num_selected']} features on, little is gained.",
        "How much of the choice stays",
        "For a new task of which nothing is known, measure (",
    ):
        assert expected in outcome.out
    assert "--scaling=standard" not in outcome.out
    assert "Nothing was measured" not in outcome.out


def test_the_model_learns_from_every_row_and_the_card_says_what_was_left_out(left_out):
    workdir, _, _ = left_out
    assert "7 tasks, each left out once (medians)" in card_of(workdir)
    with open(f"{workdir.exports}/1/assets/description.json", encoding="utf-8") as file:
        assert len(json.load(file)["training"]["source_tasks"]) == 7


def card_of(workdir):
    with open(f"{workdir.exports}/1/MODEL_CARD.md", encoding="utf-8") as file:
        return file.read()


def test_a_result_is_measured_once(left_out, run_main, table):
    workdir, outcome, _ = left_out
    written = os.stat(workdir.file("result.json")).st_mtime_ns
    again, _ = run(run_main, table, workdir)
    assert again.out == outcome.out
    assert os.stat(workdir.file("result.json")).st_mtime_ns == written


def test_one_task_may_be_held_out_instead_and_a_network_compared_with(table, run_main, tmp_path):
    network = ("--compare=concrete,greedy", "--steps=40", "--eval_every=20", "--selector_dim=8", "--jit=off")
    small = run(
        run_main, without(table, "once", tmp_path), Workdir(f"{tmp_path}/run"), "--target_task=m2", *network
    )
    outcome, result = small
    assert (result["evaluated_on"], result["target_task"]) == ("target", "m2")
    assert [task["task"] for task in result["tasks"]] == ["m2"]
    assert result["left_out"] is None
    at_k = next(point for point in result["curve"] if point["num_selected"] == 2)
    assert at_k["measured"] == pytest.approx(result["relative_error"], rel=1e-4)
    assert at_k["yardsticks"]["greedy"] == pytest.approx(
        result["yardsticks"]["greedy"]["relative_error"], rel=1e-4
    )
    assert result["yardsticks"]["concrete"]["msre"] > 0
    assert "the paper's network, 2 features" in outcome.out


def without(table, task, folder):
    with open(table, encoding="utf-8") as file:
        kept = [line for line in file if not line.startswith(f"{task},")]
    return write(folder / "fewer.csv", "".join(kept))


def test_without_a_target_nothing_is_measured_if_that_is_asked_for(table, run_main, tmp_path):
    outcome, result = run(run_main, table, Workdir(f"{tmp_path}/run"), "--target_task=none")
    assert "Nothing was measured, because no task was left out." in outcome.out
    assert (result["evaluated_on"], result["relative_error"], result["left_out"]) == (None, None, None)
    assert len(result["selected"]) == 2
    assert "None were measured before the export" in card_of(Workdir(f"{tmp_path}/run"))


@pytest.mark.parametrize("count", [1, 2])
def test_one_or_two_tasks_are_enough(count, run_main, tmp_path, rng):
    tasks = {f"m{number}": rows_of(rng, 20, number) for number in range(count)}
    outcome, result = measured(
        run_main, write(tmp_path / "few.csv", text_of(tasks)), Workdir(f"{tmp_path}/run")
    )
    if count == 1:
        assert "how tasks differ cannot be learned from it" in outcome.err
        assert result["evaluated_on"] is None
    else:
        assert len(result["tasks"]) == 2
        assert all(math.isfinite(task["relative_error"]) for task in result["tasks"])


def test_tasks_of_one_row_each_give_their_means(run_main, tmp_path, rng):
    tasks = {f"m{number}": rows_of(rng, 1, number) for number in range(12)}
    _, result = measured(run_main, write(tmp_path / "single.csv", text_of(tasks)), Workdir(f"{tmp_path}/run"))
    assert result["left_out"]["tasks"] == 12
    assert result["stability"]["supports"] is None


def test_what_a_fold_cannot_have_is_refused(table, run_main, tmp_path):
    flags = (f"--table={table}", "--task_column=machine", *QUICK, f"--workdir={tmp_path}/run")
    for wrong, message in (
        ("--compare=concrete", "--compare=concrete would have to be fitted again for every fold"),
        ("--validation_task=m1", "needs no task to validate on: leave it out"),
    ):
        outcome = run_main(*flags, wrong)
        assert outcome.code == 1
        assert message in outcome.err
