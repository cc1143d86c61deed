"""The command line's good days, in this process."""

import json
import os

import keras
import numpy as np
import pytest

from tests.conftest import SMALL
from tffs.workdir import Workdir

RESULT_KEYS = {
    *(
        "dataset",
        "seed",
        "target_task",
        "validation_task",
        "support_size",
        "num_selected",
        "steps",
        "best_step",
    ),
    *("train_seconds", "steps_per_second", "compile_seconds", "validation_seconds", "msre", "ari", "nmi"),
    *("distinct", "selected", "versions"),
}


def test_result_has_every_key_and_sensible_figures(finished):
    result = finished.read_json("result.json")
    assert set(result) >= RESULT_KEYS
    assert result["target_task"] == "rot45"
    assert len(result["selected"]) == 6
    assert result["distinct"] == len(set(result["selected"]))
    assert 0 < result["msre"] < 64
    assert -100 <= result["ari"] <= 100
    assert 0 <= result["nmi"] <= 100
    assert 0 < result["best_step"] <= 300
    assert result["train_seconds"] > result["validation_seconds"] > 0
    assert set(result["yardsticks"]) == {"random", "variance"}


def test_everything_is_where_the_report_says(finished, run_main):
    outcome = run_main(*SMALL, f"--workdir={finished.path}")
    for name in ("result.json", "reconstructions.png", "support.csv", "model.keras", "export/1", "tensorboard"):
        assert name in outcome.out
        assert os.path.exists(finished.file(name))
    with open(finished.file("reconstructions.png"), "rb") as picture:
        assert picture.read(8) == b"\x89PNG\r\n\x1a\n"


def test_a_finished_runs_command_trains_nothing_and_prints_the_result_again(finished, run_main):
    before = {
        name: os.path.getmtime(finished.file(name)) for name in ("model.keras", "result.json", "export/1")
    }
    first = run_main(*SMALL, f"--workdir={finished.path}")
    second = run_main(*SMALL, f"--workdir={finished.path}")
    assert first.code == second.code == 0
    assert first.out == second.out
    result = finished.read_json("result.json")
    assert f"{result['msre']:.4g}" in first.out
    assert ", ".join(result["selected"]) in first.out
    assert "random features" in first.out
    assert "step " not in first.err
    assert before == {name: os.path.getmtime(finished.file(name)) for name in before}


def test_modes_after_training_need_the_workdir_alone(finished, run_main, tmp_path):
    workdir = Workdir(str(tmp_path / "run"))
    assert run_main(*SMALL, f"--workdir={workdir.path}", "--mode=train", "--steps=50").code == 0
    assert not os.path.exists(workdir.file("result.json"))
    evaluated = run_main("--mode=evaluate", f"--workdir={workdir.path}")
    assert evaluated.code == 0, evaluated.err
    assert set(workdir.read_json("result.json")) >= RESULT_KEYS
    for version in (1, 2):
        exported = run_main("--mode=export", f"--workdir={workdir.path}")
        assert exported.out == f"Exported: {workdir.exports}/{version}\n"


def test_same_seed_same_result_other_seed_other_result(finished, run_main, tmp_path):
    results = {}
    for name, seed in (("same", 0), ("other", 1)):
        workdir = Workdir(str(tmp_path / name))
        assert run_main(*SMALL, f"--workdir={workdir.path}", "--mode=train", f"--seed={seed}").code == 0
        results[name] = keras.saving.load_model(workdir.model).get_weights()
    for expected, weight in zip(
        keras.saving.load_model(finished.model).get_weights(), results["same"], strict=True
    ):
        np.testing.assert_array_equal(weight, expected)
    assert np.abs(results["same"][0] - results["other"][0]).max() > 0


def test_select_prints_a_table_and_exactly_one_json_object(finished, run_main):
    support = finished.file("support.csv")
    expected = finished.read_json("result.json")["selected"]
    for model in (finished.path, finished.exports, f"{finished.exports}/1"):
        outcome = run_main("--mode=select", f"--model={model}", f"--support={support}", "--format=json")
        assert outcome.code == 0, outcome.err
        answer = json.loads(outcome.out)
        added = {"method", "rows", "novelty", "expected_error_of_none"}  # by 0.7.0
        assert set(answer) == {"model", "version", "selected", "distinct"} | added
        assert (answer["method"], answer["rows"], answer["novelty"]) == ("concrete", 4, None)
        assert (answer["model"], answer["version"]) == (model, 1)
        assert [feature["name"] for feature in answer["selected"]] == expected
        assert all(
            set(feature) == {"index", "name", "score", "expected_error"} for feature in answer["selected"]
        )
        assert answer["distinct"] == len(set(expected))
    table = run_main("--mode=select", f"--model={finished.path}", f"--support={support}").out
    assert all(name in table for name in expected)


def test_select_reads_npy_like_csv(finished, run_main, tmp_path):
    rows = np.loadtxt(finished.file("support.csv"), delimiter=",", skiprows=1)
    np.save(tmp_path / "support.npy", rows)
    one, other = (
        run_main("--mode=select", f"--model={finished.path}", f"--support={path}", "--format=json").out
        for path in (finished.file("support.csv"), tmp_path / "support.npy")
    )
    assert json.loads(one) == json.loads(other)


def test_unique_selection_gives_k_distinct_features(run_main, tmp_path):
    workdir = Workdir(str(tmp_path / "run"))
    command = (*SMALL, f"--workdir={workdir.path}", "--selection=unique", "--num_selected=30", "--steps=40")
    for mode in ("train", "evaluate"):
        outcome = run_main(*command, f"--mode={mode}")
        assert outcome.code == 0, outcome.err
    result = workdir.read_json("result.json")
    assert result["distinct"] == len(set(result["selected"])) == 30


@pytest.mark.parametrize("validation", ["task", "rows", None])
def test_without_a_target_the_validation_figure_is_marked_as_such(run_main, tmp_path, validation):
    workdir = Workdir(str(tmp_path / "run"))
    flags = [flag for flag in SMALL if "_task=" not in flag]
    protocol = [] if validation is None else [f"--validation={validation}"]
    outcome = run_main(*flags, f"--workdir={workdir.path}", "--target_task=none", "--steps=40", *protocol)
    assert outcome.code == 0, outcome.err
    result = workdir.read_json("result.json")
    assert (result["target_task"], result["evaluated_on"]) == (None, "validation")
    assert result["ari"] is result["nmi"] is result["selected"] is None
    assert "validation MSRE" in outcome.out
    assert "no test figure" in outcome.out
    trained_on = 5 if validation == "task" else 6
    assert f"Training on {trained_on} source tasks" in outcome.err
    assert os.path.isdir(f"{workdir.exports}/1")


def test_tasks_that_are_not_given_are_drawn_from_the_seed(run_main, tmp_path):
    drawn = set()
    flags = [flag for flag in SMALL if "_task=" not in flag]
    for seed in (0, 1, 2):
        workdir = Workdir(str(tmp_path / str(seed)))
        outcome = run_main(*flags, f"--workdir={workdir.path}", "--mode=train", "--steps=5", f"--seed={seed}")
        assert outcome.code == 0, outcome.err
        config = workdir.read_json("config.json")
        assert config["target_task"] != config["validation_task"]
        drawn.add((config["target_task"], config["validation_task"]))
    assert len(drawn) > 1


def test_fewer_query_rows_are_said_in_one_line(run_main, tmp_path):
    outcome = run_main(*SMALL, f"--workdir={tmp_path}/run", "--mode=train", "--steps=5", "--query_size=1000")
    assert outcome.code == 0, outcome.err
    assert outcome.err.count("computes its error on 235 rows instead of 1000") == 1
    again = run_main(*SMALL, f"--workdir={tmp_path}/run", "--mode=train", "--steps=5", "--query_size=1000")
    assert again.code == 0, again.err


def test_prepare_lists_the_tasks(run_main):
    outcome = run_main("--mode=prepare", "--dataset=digits_r")
    assert outcome.code == 0
    assert "digits_r: 6 tasks, 64 features, 1797 rows" in outcome.out
    assert "rot75  299 rows" in outcome.out


def test_auto_jit_is_decided_by_the_steps_and_recorded(run_main, tmp_path, finished):
    assert finished.read_json("config.json")["jit"] == "off"
    flags = [flag for flag in SMALL if not flag.startswith("--jit")]
    assert run_main(*flags, f"--workdir={tmp_path}/run", "--mode=train", "--steps=5", "--jit=auto").code == 0
    assert Workdir(f"{tmp_path}/run").read_json("config.json")["jit"] == "off"


def test_compiled_and_plain_training_start_alike(run_main, tmp_path):
    """On and off draw the same numbers, so that only rounding can tell them apart."""
    weights = {}
    for jit in ("on", "off"):
        workdir = Workdir(str(tmp_path / jit))
        assert (
            run_main(*SMALL, f"--workdir={workdir.path}", "--mode=train", "--steps=20", f"--jit={jit}").code
            == 0
        )
        weights[jit] = keras.saving.load_model(workdir.model).get_weights()
    for one, other in zip(weights["on"], weights["off"], strict=True):
        np.testing.assert_allclose(one, other, atol=1e-3)
