import dataclasses
import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow_datasets as tfds

import data_builders
from tffs.config import DataPlace
from tffs.data import datasets
from tffs.errors import UserError


def test_digits_r_loads_as_six_tasks(data_dir, capfd):
    tasks = datasets.load("digits_r", DataPlace(data_dir)).tasks
    assert tasks.task_names == ("rot0", "rot15", "rot30", "rot45", "rot60", "rot75")
    assert tasks.matrix.shape == (1797, 64)
    assert tasks.matrix.dtype == np.float32
    np.testing.assert_array_equal(np.diff(tasks.offsets), [300, 300, 300, 299, 299, 299])
    assert tasks.feature_names[29] == "r3c5"
    assert set(tasks.labels) == set(range(10))
    assert capfd.readouterr().out == ""  # standard output is for results


def test_every_folder_of_data_builders_is_available():
    assert "digits_r" in data_builders.available()


def test_unwritable_data_dir_gets_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="--data_dir=.* must be a folder where datasets can be written"):
        datasets.load("digits_r", DataPlace(str(tmp_path / "file")))


def test_what_later_steps_trust_is_checked_at_loading(data_dir):
    tasks = datasets.load("digits_r", DataPlace(data_dir)).tasks
    matrix = tasks.matrix.copy()
    matrix[301, 29] = np.nan
    with pytest.raises(UserError, match="feature 'r3c5' of row 2 of task rot15 is nan"):
        datasets._check("digits_r", dataclasses.replace(tasks, matrix=matrix), "error")
    names = list(tasks.feature_names)
    for wrong, message in (
        (names[:-1], "name each of its 64 features once"),
        ([*names[:-1], "r0c0"], "63 different names"),
        ([*names[:-1], "two\nlines"], "in one line each"),
        ([*names[:-1], ""], "in one line each"),
    ):
        with pytest.raises(UserError, match=message):
            datasets._check("digits_r", dataclasses.replace(tasks, feature_names=tuple(wrong)), "error")


def test_a_dataset_without_labels_loads_without_them(tmp_path, monkeypatch):
    class Unlabelled(tfds.core.GeneratorBasedBuilder):
        VERSION = tfds.core.Version("1.0.0")

        def _info(self):
            features = {"x": tfds.features.Tensor(shape=(2,), dtype=np.float32)}
            return tfds.core.DatasetInfo(
                builder=self,
                features=tfds.features.FeaturesDict(features),
                metadata=tfds.core.MetadataDict({"feature_names": ["a", "b"]}),
            )

        def _split_generators(self, dl_manager):
            return {"one": self._generate_examples(3), "two": self._generate_examples(2)}

        def _generate_examples(self, count):
            for i in range(count):
                yield i, {"x": np.array([i, -i], np.float32)}

    monkeypatch.setattr(data_builders, "builder", lambda name, data_dir: Unlabelled(data_dir=data_dir))
    tasks = datasets.load("unlabelled", DataPlace(str(tmp_path))).tasks
    assert tasks.labels is None
    np.testing.assert_array_equal(tasks.offsets, [0, 3, 5])


def test_processes_that_prepare_at_once_wait_for_each_other(tmp_path):
    code = "import sys; from data_builders.preparation import prepare; prepare('digits_r', sys.argv[1])"
    command = [sys.executable, "-c", code, str(tmp_path)]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err


def test_damaged_prepared_files_are_named(tmp_path):
    datasets.load("digits_r", DataPlace(str(tmp_path)))
    folder = tmp_path / "digits_r" / "1.0.0"
    record = next(path for path in folder.iterdir() if "tfrecord" in path.name)
    os.truncate(record, 1000)
    with pytest.raises(UserError, match=f"prepared files in .*digits_r.{folder.name} cannot be read"):
        datasets.load("digits_r", DataPlace(str(tmp_path)))
