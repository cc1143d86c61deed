"""How different tasks are."""

import numpy as np
import pytest

from pipelines.task_report import divergences, task_report, task_slices
from tests.pipelines.measuring import statistics

import tensorflow_data_validation as tfdv  # isort: skip  (older ones load only after TFX)

NAMES = ("größe", "f2")


@pytest.fixture(scope="module")
def splits():
    """A source of two tasks, and held-out tasks that repeat it, and that lie elsewhere in one feature."""
    same = np.random.default_rng(0).random((200, 2))
    return {
        "source": statistics({"a": same, "b": same}, NAMES),
        "held_out": statistics({"like": same, "shifted": same + np.array([0.0, 5.0])}, NAMES),
    }


@pytest.fixture(scope="module")
def schema(splits):
    return tfdv.infer_schema(splits["source"])


def test_every_task_has_its_slice(splits):
    slices = task_slices(splits["held_out"])
    assert list(slices) == ["like", "shifted"]
    assert [found.datasets[0].num_examples for found in slices.values()] == [200, 200]


def test_a_task_that_repeats_the_source_does_not_diverge_and_a_shifted_one_does(splits, schema):
    report = task_report(splits, "source", schema)
    assert report["like"]["mean_divergence"] == pytest.approx(0.0, abs=1e-6)
    assert list(report["shifted"]["differ_most"]) == ["f2", "größe"]
    assert report["shifted"]["differ_most"]["f2"] > 0.9
    assert report["shifted"]["differ_most"]["größe"] == pytest.approx(0.0, abs=1e-6)
    assert report["shifted"]["mean_divergence"] == pytest.approx(report["shifted"]["differ_most"]["f2"] / 2)
    assert {task: (found["split"], found["rows"]) for task, found in report.items()} == {
        "a": ("source", 200),
        "b": ("source", 200),
        "like": ("held_out", 200),
        "shifted": ("held_out", 200),
    }


def test_measuring_does_not_change_the_schema(splits, schema):
    before = schema.SerializeToString(deterministic=True)
    assert set(divergences(splits["held_out"], splits["source"], schema)) == set(NAMES)
    assert schema.SerializeToString(deterministic=True) == before
