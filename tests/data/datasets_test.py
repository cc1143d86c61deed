import os

import numpy as np
import pytest

import data_builders
from tffs.data import datasets
from tffs.errors import UserError


def test_digits_r_loads_as_six_tasks(data_dir, capfd):
    tasks = datasets.load("digits_r", data_dir)
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
        datasets.load("digits_r", str(tmp_path / "file"))


def test_damaged_prepared_files_are_named(tmp_path):
    datasets.load("digits_r", str(tmp_path))
    folder = tmp_path / "digits_r" / "1.0.0"
    record = next(path for path in folder.iterdir() if "tfrecord" in path.name)
    os.truncate(record, 1000)
    with pytest.raises(UserError, match=f"prepared files of digits_r in .*{folder.name} cannot be read"):
        datasets.load("digits_r", str(tmp_path))
