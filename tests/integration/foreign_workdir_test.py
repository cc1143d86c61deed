"""A workdir that somebody else made, damaged or changed: one sentence, and nothing of anybody's is lost."""

import json
import os
import shutil

import keras
import pytest

from tests.conftest import QUICK, SMALL
from tests.integration.bad_input_test import assert_refused
from tffs.workdir import Workdir


@pytest.fixture
def copy(finished, tmp_path):
    """A finished run that may be changed."""
    shutil.copytree(finished.path, tmp_path / "run")
    return Workdir(str(tmp_path / "run"))


def change(workdir, name, **values):
    with open(workdir.file(name), encoding="utf-8") as file:
        stored = json.load(file)
    with open(workdir.file(name), "w", encoding="utf-8") as file:
        json.dump({**stored, **values}, file)


def test_a_lock_that_is_a_link_is_refused_and_its_target_left_alone(run_main, copy, tmp_path):
    (tmp_path / "precious").write_text("content")
    os.remove(copy.file(".lock"))
    os.symlink(tmp_path / "precious", copy.file(".lock"))
    assert_refused(run_main("--mode=evaluate", f"--workdir={copy.path}"), ".lock is a symbolic link")
    assert (tmp_path / "precious").read_text() == "content"


@pytest.mark.parametrize(
    ("name", "value", "fragment"),
    [
        ("seed", "zero", "seed must be a whole number"),
        ("support_size", 4.5, "support_size must be a whole number"),
        ("support_size", True, "support_size must be a whole number"),
        ("decoder_units", 16, "decoder_units must be whole numbers"),
        ("decoder_units", ["16"], "decoder_units must be whole numbers"),
        ("learning_rate", float("inf"), "learning_rate must be a number"),
        ("noise", ["on"], "noise must be one of on, off"),
        ("scaling", {}, "scaling must be one of"),
        ("dataset", 7, "dataset must be a text"),
        ("dataset", None, "it names no dataset"),
        ("dataset", "../elsewhere", "there is no dataset '../elsewhere'"),
        ("dataset", "table/../../x-1", "there is no dataset 'table/../../x-1'"),
        ("target_task", 3, "target_task must be a text"),
    ],
)
@pytest.mark.parametrize("mode", ["evaluate", "train"])
def test_wrong_values_in_config_json_are_named(name, value, fragment, mode, run_main, copy):
    change(copy, "config.json", **{name: value})
    flags = SMALL if mode == "train" else ()
    outcome = run_main(*flags, f"--mode={mode}", f"--workdir={copy.path}")
    assert_refused(outcome, fragment)


@pytest.mark.parametrize("table", [[], 7, {"path": 7}, {"path": "t.csv", "nonsense": 1}])
def test_a_wrong_table_in_config_json_is_named(table, run_main, copy):
    change(copy, "config.json", table=table or [1], dataset="table/gone-0123")
    outcome = run_main("--mode=evaluate", f"--workdir={copy.path}")
    assert_refused(outcome, "config.json is not what tffs writes (where its rows come from: ")
    assert "__init__" not in outcome.err
    assert "attribute" not in outcome.err


def test_a_wrong_data_dir_in_config_json_is_named(copy):
    from tffs.config import DataPlace
    from tffs.errors import UserError

    change(copy, "config.json", data_dir=7)
    with pytest.raises(UserError, match="config.json is not what tffs writes .where its rows come from"):
        copy.noted_place(DataPlace("here"), data_dir_given=False)


@pytest.mark.parametrize(
    "values",
    [
        {"best_step": "300"},
        {"train_seconds": [1]},
        {"selected": "r0c0"},
        {"selected": [1, 2]},
        {"msre": "small"},
        {"relative_error": {}},
        {"evaluated_on": "rows"},
        {"yardsticks": []},
        {"yardsticks": {"random": 3}},
        {"yardsticks": {"random": {"msre": 1}}},
        {"yardsticks": {"mine": {}}},
        {"accuracy": 50.0},
        {"classes": 4},
        {"classes": ["a", "b"]},
        {"train_seconds": float("nan")},
        {"train_seconds": float("inf")},
    ],
    ids=str,
)
def test_wrong_values_in_result_json_are_named(values, run_main, copy):
    change(copy, "result.json", **values)
    for mode in ("evaluate", "export"):
        outcome = run_main(f"--mode={mode}", f"--workdir={copy.path}")
        assert_refused(outcome, "result.json is not what tffs writes (")


@pytest.mark.parametrize(
    ("name", "value", "fragment"),
    [
        ("best_step", "300", "best_step must be a number, but is '300'"),
        ("train_seconds", None, "train_seconds must be a number, but is None"),
    ],
)
def test_a_wrong_value_in_training_json_is_named(name, value, fragment, run_main, copy):
    os.remove(copy.file("result.json"))
    change(copy, "training.json", **{name: value})
    assert_refused(
        run_main("--mode=evaluate", f"--workdir={copy.path}"),
        f"training.json is not what tffs writes ({fragment})",
    )


def test_an_empty_training_json_is_said_to_lack_its_figures(run_main, copy):
    copy.write_json("training.json", {})
    assert_refused(
        run_main("--mode=evaluate", f"--workdir={copy.path}"),
        "training.json is not what tffs writes (it lacks best_step)",
    )


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("num_selected", 7, "it selects 6 features, and the run selects 7 features"),
        ("missing", "median", "it has missing values filled in: False, and the run has"),
        ("scaling", "standard", "it scales features differently"),
        ("loss", "cross_entropy", "it tells 0 classes apart, and the run tells 10 classes apart"),
    ],
)
def test_a_config_that_contradicts_the_model_is_refused(name, value, why, run_main, copy):
    change(copy, "config.json", **{name: value})
    assert_refused(
        run_main("--mode=evaluate", f"--workdir={copy.path}"),
        f"model.keras is not of the run in config.json ({why}",
    )


def test_a_model_of_a_foreign_class_is_refused(run_main, copy):
    os.remove(copy.file("result.json"))
    keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)]).save(copy.model)
    assert_refused(
        run_main("--mode=evaluate", f"--workdir={copy.path}"),
        "model.keras holds a Sequential, not a model that a run of tffs saved",
    )


def test_a_model_of_an_unknown_class_is_refused(run_main, copy):
    class Unknown(keras.Model):
        def call(self, rows):
            return rows

    os.remove(copy.file("result.json"))
    model = Unknown()
    model(keras.ops.ones((1, 3)))
    model.save(copy.model)
    assert_refused(run_main("--mode=evaluate", f"--workdir={copy.path}"), "model.keras cannot be read")


def test_checkpoints_of_another_run_are_refused_and_kept(run_main, finished, tmp_path):
    workdir = Workdir(str(tmp_path / "run"))
    os.makedirs(workdir.path)
    shutil.copytree(finished.file("checkpoints"), workdir.file("checkpoints"))
    shutil.copy(finished.file("config.json"), workdir.file("config.json"))
    change(workdir, "config.json", seed=5)
    before = sorted(os.listdir(workdir.file("checkpoints")))
    outcome = run_main(*SMALL, "--mode=train", "--seed=5", f"--workdir={workdir.path}")
    assert_refused(outcome, "is of another run (made with seed 0, which is 5 here)")
    assert sorted(os.listdir(workdir.file("checkpoints"))) == before


def test_a_conflict_names_only_flags_that_were_given(run_main, tmp_path):
    flags = ("--dataset=digits_r", "--mode=train", f"--workdir={tmp_path}/run", *QUICK)
    assert run_main(*flags).code == 0
    outcome = run_main(*flags, "--seed=1")  # which draws other tasks
    assert_refused(outcome, "holds another run, made with --seed=0 (now 1): choose another --workdir")


def test_a_conflict_with_what_was_not_given_says_how_the_stored_run_differs(run_main, tmp_path):
    flags = ("--dataset=digits_r", "--mode=train", f"--workdir={tmp_path}/run")
    assert run_main(*flags, *QUICK, "--learning_rate=0.01").code == 0
    assert_refused(run_main(*flags, *QUICK), "made with learning_rate=0.01 (0.001 if not given)")


def test_a_run_on_other_data_names_the_data_and_no_flag(run_main, finished, tmp_path):
    rows = "\n".join(f"{task},{row},{row * row % 7}" for task in "uvwxyz" for row in range(20))
    (tmp_path / "mine.csv").write_text(f"task,a,b\n{rows}\n")
    table = (f"--table={tmp_path}/mine.csv", "--task_column=task")
    outcome = run_main(*table, *QUICK, f"--workdir={finished.path}")
    assert_refused(outcome, "holds a run on digits_r and not on mine: choose another --workdir")


def test_figures_that_are_not_finite_are_null_and_shown_as_none(run_main, tmp_path):
    rows = [[task, row, row * row % 7, (3 * row) % 5] for task in "uvwxyz" for row in range(20)]
    for line in rows:
        if line[0] == "z":
            line[2] = 1e25  # its square is more than 32-bit numbers hold
    lines = "\n".join(",".join(map(str, line)) for line in rows)
    (tmp_path / "t.csv").write_text(f"task,a,b,c\n{lines}\n")
    workdir = Workdir(str(tmp_path / "run"))
    table = (f"--table={tmp_path}/t.csv", "--task_column=task", "--target_task=z")
    first = run_main(*table, *QUICK, f"--workdir={workdir.path}")
    assert first.code == 0, first.err
    for name in ("result.json", "training.json", "config.json"):
        with open(workdir.file(name), encoding="utf-8") as file:
            stored = json.load(file, parse_constant=pytest.fail)
        if name == "result.json":
            assert stored["msre"] is None
    again = run_main("--mode=evaluate", f"--workdir={workdir.path}")
    assert again.code == 0, again.err
    assert "inf" not in again.out
