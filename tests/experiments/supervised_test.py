"""The supervised methods on one small cell of digits_r."""

import numpy as np
import pytest

from tests.experiments.methods_test import Silent
from tffs import flags
from tffs.experiments.grid import Cell, groups_of
from tffs.experiments.workshop import Workshop

METHODS = ("ours_supervised", "random_supervised", "all_supervised")
SIZES = (
    *("--steps=900", "--eval_every=150", "--selector_dim=20", "--embedding_units=16", "--decoder_units=16,16"),
    "--jit=off",
)


@pytest.fixture(scope="module")
def shop(data_dir):
    command = flags.parse(
        [
            "tffs",
            "--flagfile=experiment_supervised.flags",
            f"--data_dir={data_dir}",
            *SIZES,
        ]
    )
    assert command.experiment.axes["method"] == METHODS
    return Workshop(command.experiment.runs, Silent())


@pytest.fixture(scope="module")
def lines(shop):
    cells = [Cell(0, "digits_r", 8, 4, method) for method in (*METHODS, "random")]
    return {cell.method: shop.result(cell) for cell in cells}


def test_labels_of_the_target_are_predicted_better_than_by_chance(lines):
    for method in METHODS:
        line = lines[method]
        assert line["status"] == "ok", line["error"]
        assert line["accuracy"] > 20.0
        assert line["msre"] is None
        assert line["ari"] is not None
    assert lines["all_supervised"]["accuracy"] > lines["random_supervised"]["accuracy"]


def test_other_methods_learn_no_labels(lines):
    assert lines["random"]["accuracy"] is None
    assert lines["random"]["msre"] > 0


def test_the_same_cell_has_the_same_split_and_the_same_random_features(lines):
    assert len({(line["target_task"], line["validation_task"], line["seed"]) for line in lines.values()}) == 1
    assert lines["random"]["selected"] == lines["random_supervised"]["selected"]
    assert (lines["all_supervised"]["selected"], lines["all_supervised"]["distinct"]) == (None, 64)
    assert lines["ours_supervised"]["stability"] is not None


def test_all_features_are_fitted_once_for_every_k(shop):
    cells = [Cell(0, "digits_r", k, 4, method) for k in (5, 10) for method in METHODS]
    sizes = {group[0].method: len(group) for group in groups_of(cells)}
    assert sizes == {"ours_supervised": 1, "random_supervised": 1, "all_supervised": 2}


def test_our_classifier_knows_the_task_and_the_yardsticks_of_reconstruction_do_not(shop):
    for method, size in (("random_supervised", 1), ("random", 0)):
        cell = Cell(0, "digits_r", 8, 4, method)
        assert shop.fit(cell, shop.setting(cell)).model.decoder.task_code_dim == size


def test_a_dataset_without_labels_fails_for_these_methods_alone(tmp_path, data_dir):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "bare.npz", x=rng.random((90, 6)), task=np.repeat(["a", "b", "c"], 30))
    (tmp_path / "bare.flags").write_text(f"--table={tmp_path}/bare.npz\n", encoding="utf-8")
    command = flags.parse(
        ["tffs", "--mode=experiment", f"--datasets={tmp_path}/bare.flags", f"--data_dir={data_dir}"]
    )
    shop = Workshop(command.experiment.runs, Silent())
    cells = [Cell(0, "bare", 2, 4, method) for method in ("ours_supervised", "spec_t")]
    failed, done = map(shop.result, cells)
    assert (failed["status"], done["status"]) == ("failed", "ok")
    assert "--loss=cross_entropy predicts labels, but the rows have no labels" in failed["error"]
    assert failed["accuracy"] is done["accuracy"] is None
