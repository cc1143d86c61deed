"""--loss=cross_entropy through the command line."""

import json
import os

import numpy as np
import pytest

import tffs
from tests.conftest import INSPECTED, QUICK, SMALL
from tests.data_builders.table.files import write, write_npz
from tffs.workdir import Workdir

LOSS = "--loss=cross_entropy"


@pytest.fixture(scope="module")
def digits(run_main, tmp_path_factory):
    workdir = Workdir(str(tmp_path_factory.mktemp("supervised") / "run"))
    outcome = run_main(*SMALL, LOSS, "--steps=1500", "--eval_every=250", f"--workdir={workdir.path}")
    assert outcome.code == 0, outcome.err
    return workdir, outcome


def test_labels_of_a_task_never_seen_are_predicted_far_better_than_by_chance(digits):
    workdir, outcome = digits
    result = workdir.read_json("result.json")
    assert result["accuracy"] > 25.0
    assert result["chance"] < 15.0
    assert result["classes"] == list("0123456789")
    assert result["msre"] is result["relative_error"] is None
    assert set(result["yardsticks"]) == {"random", "variance", "all"}
    assert all(figures["accuracy"] > 15.0 for figures in result["yardsticks"].values())
    assert result["yardsticks"]["all"]["distinct"] == 64
    assert f"{result['accuracy']:.1f} %" in outcome.out
    assert "to tell 10 classes apart" in outcome.err
    assert "validation loss" in outcome.err
    assert "MSRE" not in outcome.out + outcome.err


def test_nothing_false_is_written_about_reconstructions(digits):
    workdir, outcome = digits
    assert os.path.exists(workdir.file("chosen.png"))
    assert not os.path.exists(workdir.file("reconstructions.png"))
    assert not os.path.exists(workdir.file("features.png"))
    assert "reconstruct" not in outcome.out


def test_the_workdir_is_one_of_this_loss(digits, run_main):
    workdir, outcome = digits
    again = run_main(*SMALL, LOSS, "--steps=1500", "--eval_every=250", f"--workdir={workdir.path}")
    assert (again.code, again.out) == (0, outcome.out)
    other = run_main(*SMALL, "--steps=1500", "--eval_every=250", f"--workdir={workdir.path}")
    assert other.code == 1
    assert "made with loss=cross_entropy (reconstruction if not given): choose another --workdir" in other.err


def test_the_model_classifies_and_the_export_selects(digits, run_main):
    workdir, _ = digits
    result = workdir.read_json("result.json")
    support = workdir.file("support.csv")
    outcome = run_main("--mode=select", f"--model={workdir.path}", f"--support={support}", "--format=json")
    assert [chosen["name"] for chosen in json.loads(outcome.out)["selected"]] == result["selected"]
    model = tffs.load_model(workdir.path)
    rows = np.loadtxt(support, delimiter=",", skiprows=1, dtype=np.float32)
    chosen = model.select(rows[None])[0].numpy()
    probabilities = np.asarray(model.classify(rows[None], rows[None][:, :, chosen]))
    assert probabilities.shape == (1, 4, len(result["classes"]))
    np.testing.assert_allclose(probabilities.sum(-1), 1.0, rtol=1e-5)
    with pytest.raises(ValueError, match="reconstructs nothing"):
        model.reconstruct(rows[None], rows[None][:, :, chosen])


def planted(rng, rows=80):
    """Four tasks: features 0 and 1 decide the class; eight others vary more, and follow from two of them."""
    x = rng.normal(size=(4 * rows, 10))
    x[:, 2:] = 2.0 * np.repeat(x[:, 2:4], 4, axis=1) + 0.3 * x[:, 2:]
    y = np.array(["cat", "cow", "dog", "emu"])[2 * (x[:, 0] > 0) + (x[:, 1] > 0)]
    return x, np.repeat(["t", "u", "v", "w"], rows), y


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    x, task, y = planted(np.random.default_rng(8))
    names = ["a", "b", *(f"noise {i}" for i in range(8))]
    return write_npz(
        tmp_path_factory.mktemp("planted") / "planted.npz",
        x=x,
        task=task,
        y=y,
        feature_names=names,
    )


LONGER = (
    *("--scaling=none", "--steps=3000", "--eval_every=250", "--learning_rate=0.003", "--selector_dim=50"),
    *("--decoder_units=16", "--num_selected=3", "--target_task=u"),
)


def test_labels_choose_the_features_that_decide_them_and_reconstruction_chooses_others(
    table, run_main, tmp_path
):
    for loss, mode in (("cross_entropy", "train"), ("cross_entropy", "evaluate"), ("reconstruction", "train")):
        command = (f"--table={table}", *QUICK, *LONGER, f"--loss={loss}", f"--mode={mode}")
        outcome = run_main(*command, f"--workdir={tmp_path}/{loss}")
        assert outcome.code == 0, outcome.err
    result = Workdir(f"{tmp_path}/cross_entropy").read_json("result.json")
    assert result["accuracy"] > 85.0
    assert result["yardsticks"]["variance"]["accuracy"] < 50.0
    assert result["classes"] == ["cat", "cow", "dog", "emu"]
    assert set(result["selected"]) == {"a", "b"}
    x, _, y = planted(np.random.default_rng(9), 50)
    rows = x.astype(np.float32)
    other = tffs.load_model(f"{tmp_path}/reconstruction").select(rows[None, :3])[0].numpy()
    assert not set(other) & {0, 1}
    model = tffs.load_model(f"{tmp_path}/cross_entropy")
    chosen = model.select(rows[None, :3])[0].numpy()
    predicted = np.asarray(model.classify(rows[None, :3], rows[None][..., chosen]))[0].argmax(-1)
    assert (np.array(["cat", "cow", "dog", "emu"])[predicted] == y).mean() > 0.85


def test_without_a_target_the_validation_accuracy_is_marked_as_such(table, run_main, tmp_path):
    workdir = Workdir(f"{tmp_path}/run")
    outcome = run_main(f"--table={table}", *QUICK, LOSS, "--target_task=none", f"--workdir={workdir.path}")
    assert outcome.code == 0, outcome.err
    result = workdir.read_json("result.json")
    assert (result["evaluated_on"], result["msre"], result["selected"]) == ("validation", None, None)
    assert 0 <= result["accuracy"] <= 100
    assert f"validation accuracy {result['accuracy']:.1f} %" in outcome.out


LINES = "".join(f"{'uvwz'[i % 4]},{i}.5,{i % 7},{i % 3}\n" for i in range(80))


@pytest.mark.parametrize("mode", ["train", "inspect"])
@pytest.mark.parametrize(
    ("text", "flags", "message"),
    [
        (
            "task,a,b,c\n" + LINES,
            (),
            "the rows have no labels: give a table's column of classes as --label_column",
        ),
        (
            "task,a,b,same\n" + "".join(f"{'uvwz'[i % 4]},{i}.5,{i % 7},k\n" for i in range(80)),
            ("--label_column=same",),
            "all rows have the same label",
        ),
        ("task,a,b,c\nu,1,2,\n" + LINES, ("--label_column=c",), "1 row(s) have no label, first row 1"),
    ],
)
def test_rows_without_labels_are_refused(mode, text, flags, message, run_main, tmp_path, monkeypatch):
    path = write(tmp_path / "t.csv", text)
    monkeypatch.chdir(tmp_path)
    command = (f"--table={path}", "--task_column=task", *INSPECTED, LOSS, *flags)
    outcome = run_main(f"--mode={mode}", *command)
    assert outcome.code == 1
    assert message in outcome.err + outcome.out
    assert "Traceback" not in outcome.err
    assert not (tmp_path / "run" / "checkpoints").exists()


def test_rows_without_a_label_may_be_left_out(run_main, tmp_path):
    path = write(tmp_path / "t.csv", "task,a,b,c\nu,1,2,\n" + LINES)
    command = (f"--table={path}", "--task_column=task", "--label_column=c", "--missing=drop_rows", *QUICK, LOSS)
    outcome = run_main("--mode=train", *command, f"--workdir={tmp_path}/run")
    assert outcome.code == 0, outcome.err
    assert "to tell 3 classes apart" in outcome.err


def test_another_loss_is_refused(run_main, tmp_path):
    outcome = run_main(*SMALL, "--loss=hinge", f"--workdir={tmp_path}/run")
    assert outcome.code == 1
    assert "--loss must be one of reconstruction, cross_entropy, but received 'hinge'" in outcome.err
