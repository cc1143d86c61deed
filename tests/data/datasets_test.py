import dataclasses
import os
from typing import ClassVar

import numpy as np
import pytest
import tensorflow_datasets as tfds

import data_builders
from data_builders.table.options import TableOptions
from tests.data.loading import load
from tffs.config import DataPlace
from tffs.data import datasets
from tffs.data.stored_rows import StoredRows
from tffs.errors import UserError

DIGITS_BYTES = 4 * 1797 * 64


class PlainBuilder(tfds.core.GeneratorBasedBuilder, skip_registration=True):
    """A dataset of a few rows without labels."""

    VERSION = tfds.core.Version("1.0.0")
    NAMES: ClassVar = ["a", "b"]
    TASKS: ClassVar = {"one": np.ones((3, 2), np.float32), "two": np.zeros((2, 2), np.float32)}

    def _info(self):
        features = {"x": tfds.features.Tensor(shape=(2,), dtype=np.float32)}
        return tfds.core.DatasetInfo(
            builder=self,
            features=tfds.features.FeaturesDict(features),
            disable_shuffling=True,
            metadata=tfds.core.MetadataDict({"feature_names": self.NAMES}),
        )

    def _split_generators(self, dl_manager):
        return {task: self._generate_examples(rows) for task, rows in self.TASKS.items()}

    def _generate_examples(self, rows):
        for number, row in enumerate(rows):
            yield number, {"x": row}


def test_digits_r_loads_as_six_tasks(data_dir, capfd):
    tasks = load("digits_r", DataPlace(data_dir)).tasks
    assert tasks.task_names == ("rot0", "rot15", "rot30", "rot45", "rot60", "rot75")
    assert tasks.matrix.shape == (1797, 64)
    assert tasks.matrix.dtype == np.float32
    np.testing.assert_array_equal(np.diff(tasks.offsets), [300, 300, 300, 299, 299, 299])
    assert tasks.feature_names[29] == "r3c5"
    assert set(tasks.labels) == set(range(10))
    assert capfd.readouterr().out == ""  # standard output is for results


@pytest.mark.parametrize(
    ("free", "streamed"), [(2 * DIGITS_BYTES, False), (2 * DIGITS_BYTES - 1, True), (None, False)]
)
def test_auto_streams_what_would_take_more_than_half_of_the_free_memory(data_dir, monkeypatch, free, streamed):
    monkeypatch.setattr(datasets, "available_memory", lambda: free)
    notes = []
    tasks = load("digits_r", DataPlace(data_dir), say=notes.append).tasks
    assert isinstance(tasks.matrix, StoredRows) == streamed
    said = (
        "Streaming digits_r from the disk: its rows take 0.00046 GB, more than half of the 0.00092 GB of memory"
    )
    assert [note.startswith(said) for note in notes] == [True] * streamed


def test_processes_that_load_the_same_rows_share_the_memory(data_dir, monkeypatch):
    monkeypatch.setattr(datasets, "available_memory", lambda: 4 * DIGITS_BYTES)
    place = DataPlace(data_dir)
    for loaders, streamed in ((1, False), (2, False), (3, True)):
        tasks = load("digits_r", dataclasses.replace(place, loaders=loaders)).tasks
        assert isinstance(tasks.matrix, StoredRows) == streamed


def test_every_folder_of_data_builders_is_available():
    assert "digits_r" in data_builders.available()


def test_unwritable_data_dir_gets_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="--data_dir=.* must be a folder where datasets can be written"):
        load("digits_r", DataPlace(str(tmp_path / "file")))


def test_a_full_data_dir_gets_one_sentence_and_leaves_nothing_behind(tmp_path, forks):
    flags = ("--datasets=digits_r", f"--data_dir={tmp_path}")
    ended = forks.start("data_builders.build", *flags, largest_file=20_000)
    _, err = ended.communicate(timeout=120)
    assert ended.returncode == 1
    (line,) = [line for line in err.splitlines() if not line.startswith("[1/1]")]
    assert line.startswith(f"data_builders.build: --data_dir={tmp_path} must be a folder where datasets can be")
    assert line.endswith("choose another folder or free some space.")
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and "lock" not in path.name]


@pytest.mark.parametrize(
    ("value", "missing", "refused"),
    [
        (np.nan, "error", "is nan"),
        (np.inf, "error", "is inf"),
        (-np.inf, "median", "is -inf"),
        (np.nan, "median", None),
        (np.nan, "drop_rows", None),
    ],
)
@pytest.mark.parametrize("cache", ["memory", "stream"])
def test_values_that_are_not_finite_are_named_by_task_and_row(
    tmp_path, monkeypatch, cache, value, missing, refused
):
    rows = np.zeros((3, 2), np.float32)
    rows[1, 1] = value

    class WithHole(PlainBuilder, skip_registration=True):
        TASKS: ClassVar = {"one": np.ones((4, 2), np.float32), "two": rows}

    monkeypatch.setattr(data_builders, "builder", lambda name, data_dir: WithHole(data_dir=data_dir))
    place = DataPlace(str(tmp_path), cache=cache)
    if refused:
        with pytest.raises(UserError, match=f"feature 'b' of row 2 of task two {refused}"):
            load("with_hole", place, missing)
    else:
        tasks = load("with_hole", place, missing).tasks
        np.testing.assert_array_equal(tasks.offsets, [0, 4, 6 if missing == "drop_rows" else 7])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], "name each of its 2 features once"),
        (["a", "a"], "1 different names"),
        (["a", "two\nlines"], "in one line each"),
        (["a", ""], "in one line each"),
    ],
)
def test_features_must_have_names_of_their_own(tmp_path, monkeypatch, names, message):
    class Named(PlainBuilder, skip_registration=True):
        NAMES: ClassVar = names

    monkeypatch.setattr(data_builders, "builder", lambda name, data_dir: Named(data_dir=data_dir))
    with pytest.raises(UserError, match=message):
        load("named", DataPlace(str(tmp_path)))


def test_a_dataset_without_labels_loads_without_them(tmp_path, monkeypatch):
    monkeypatch.setattr(data_builders, "builder", lambda name, data_dir: PlainBuilder(data_dir=data_dir))
    tasks = load("unlabelled", DataPlace(str(tmp_path))).tasks
    assert tasks.labels is None
    np.testing.assert_array_equal(tasks.offsets, [0, 3, 5])


def test_processes_that_prepare_at_once_wait_for_each_other(tmp_path, forks):
    command = ("data_builders.build", "--datasets=digits_r", f"--data_dir={tmp_path}")
    processes = [forks.start(*command) for _ in range(3)]
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err


def test_damaged_prepared_files_are_named(tmp_path):
    load("digits_r", DataPlace(str(tmp_path)))
    folder = tmp_path / "digits_r" / "1.0.0"
    record = next(path for path in folder.iterdir() if "tfrecord" in path.name)
    os.truncate(record, 1000)
    with pytest.raises(UserError, match=f"prepared files in .*digits_r.{folder.name} cannot be read"):
        load("digits_r", DataPlace(str(tmp_path)))


def test_the_table_of_a_run_that_is_gone_or_another_is_said_to_be_the_runs(tmp_path):
    path = tmp_path / "t.csv"
    place = DataPlace(str(tmp_path / "data"), table=TableOptions(str(path), "task"))
    with pytest.raises(UserError, match="the table of this run, is not there. Without --table .* config.json"):
        datasets.open_dataset("table/t-0123456789abcdef", place)
    path.write_text("task,a\nu,1\nv,2\n")
    with pytest.raises(UserError, match="is another table than that of this run, has changed since, or"):
        datasets.open_dataset("table/t-0123456789abcdef", place)
