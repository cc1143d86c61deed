import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from tests.conftest import SMALL
from tests.data.loading import load
from tffs import flags
from tffs.config import DataPlace
from tffs.data.datasets import Dataset
from tffs.methods.gradient import concrete_of
from tffs.planning.setting import settle


@pytest.fixture
def make(data_dir):
    def make_setting(*changes, notes=None):
        config = flags.parse(["tffs", *SMALL, *changes]).run
        return settle(config, DataPlace(data_dir), (notes if notes is not None else []).append)

    return make_setting


def rows_in(matrix, rows):
    known = {row.tobytes() for row in matrix}
    return [row.tobytes() in known for row in np.asarray(rows).reshape(-1, matrix.shape[1])]


def test_training_and_validation_see_their_own_rows_and_never_the_targets(make):
    setting = make("--validation_task=rot60")
    matrix, split = setting.tasks.matrix, setting.split
    target = matrix[np.concatenate([split.target_support, split.target_test])]
    validator = setting.validator(concrete_of(setting))
    chunk = setting.chunks(noise=6).draw(tf.constant(0, tf.int64))
    for rows, own in (
        (validator._support, split.validation.rows),
        (validator._query, split.validation.rows),
        (chunk.support, split.train.rows),
        (chunk.query, split.train.rows),
    ):
        assert all(rows_in(matrix[own], rows))
        assert not any(rows_in(target, rows))


@pytest.mark.parametrize(
    ("episodes", "noise"),
    [(1, 6), (1, 0), (3, 6)],
)
def test_steps_have_noise_for_every_concrete_variable_of_every_episode(make, episodes, noise):
    setting = make(f"--episodes_per_step={episodes}")
    assert setting.chunks(noise).spec.noise.shape[1:] == (episodes, noise, 64)


@pytest.mark.parametrize(
    ("low", "high", "activation"), [(0, 1, "sigmoid"), (-1, 1, "tanh"), (-1, 1.5, "linear"), (0, 9, "linear")]
)
def test_output_activation_follows_the_source_rows(make, monkeypatch, data_dir, low, high, activation):
    tasks = load("digits_r", DataPlace(data_dir)).tasks
    matrix = low + (high - low) * tasks.matrix
    matrix[tasks.rows_by_task()["rot45"]] = 1000.0  # the target has no say
    changed = dataclasses.replace(tasks, matrix=matrix)
    monkeypatch.setattr(Dataset, "load", lambda *_: changed)
    assert make().config.model.output_activation == activation
    assert make("--output_activation=tanh").config.model.output_activation == "tanh"


def test_labels_are_drawn_with_the_rows_of_the_training_tasks(make):
    setting = make("--loss=cross_entropy")
    assert setting.classes == tuple("0123456789")
    assert concrete_of(setting).num_classes == 10
    label_of = {
        row.tobytes(): label for row, label in zip(setting.tasks.matrix, setting.tasks.labels, strict=True)
    }
    chunk = setting.chunks(noise=6).draw(tf.constant(0, tf.int64))
    rows = chunk.query.numpy().reshape(-1, 64)
    np.testing.assert_array_equal(chunk.labels.numpy().ravel(), [label_of[row.tobytes()] for row in rows])
    plain = make()
    assert plain.classes == ()
    assert plain.chunks(noise=6).spec.labels.shape[2] == 0


def test_what_shrinks_or_drops_out_is_said(make):
    notes = []
    setting = make("--support_size=200", "--query_size=100", notes=notes)
    assert setting.config.data.query_size == 39
    assert notes[0].startswith("Each training step computes its error on 39 rows instead of 100")


def test_small_tasks_and_small_validation_sets_are_said(data_dir):
    notes = []
    given = [flag for flag in SMALL if "validation_task" not in flag]
    config = flags.parse(["tffs", *given, "--validation=rows", "--support_size=59", "--query_size=20"]).run
    setting = settle(config, DataPlace(data_dir), notes.append)
    assert len(setting.split.validation.names) == 5
    assert notes == [
        "Validation uses 1 rows of a task instead of 20, which is what the smallest validation task has left."
    ]
