"""The generic builder: what TFDS and tffs read back."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_datasets as tfds

from data_builders.table import row_examples, table_dataset_builder
from data_builders.table.options import TableOptions
from data_builders.table.table import Table
from data_builders.table.table_dataset_builder import path_of, prepare_table
from tests.data import loading
from tests.data_builders.table.files import write, write_npz
from tffs.config import DataPlace
from tffs.errors import UserError

# Unsorted tasks with odd names; row i of the file holds i in its first feature.
NAMES = ("shop [1]", "all", "a/b.c", "né 2")
CSV = "kind,place,i,x y\n" + "".join(f"{'pq'[i % 2]},{NAMES[i % 4]},{i},{i * 0.25}\n" for i in range(40))


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "t.csv", CSV)


def options(path, **more):
    return TableOptions(path, "place", label_column="kind", **more)


def load(path, data_dir, missing="error", **more):
    return loading.load(None, DataPlace(str(data_dir), table=options(path, **more)), missing)


def test_the_split_rows_is_sorted_by_task_with_names_and_offsets_in_the_metadata(path, tmp_path):
    loaded = load(path, tmp_path / "data")
    builder = tfds.builder_from_directory(path_of(loaded.name, str(tmp_path / "data")))
    assert list(builder.info.splits) == ["rows"]
    metadata = builder.info.metadata
    assert metadata["task_names"] == sorted(NAMES)
    assert metadata["counts"] == [10, 10, 10, 10]
    assert metadata["offsets"] == [0, 10, 20, 30, 40]
    assert metadata["feature_names"] == ["i", "x y"]
    assert metadata["class_names"] == ["p", "q"]
    examples = list(tfds.as_numpy(builder.as_dataset(split="rows")))
    assert [example["task"].decode() for example in examples] == [
        name for name in sorted(NAMES) for _ in range(10)
    ]
    for example in examples:
        row = int(example["id"]) - 1  # counted from 1
        np.testing.assert_array_equal(example["x"], [row, row * 0.25])
        assert example["task"].decode() == NAMES[row % 4]
        assert example["label"] == row % 2


def test_tffs_reads_the_same_rows(path, tmp_path):
    tasks = load(path, tmp_path / "data").tasks
    assert tasks.task_names == tuple(sorted(NAMES))
    np.testing.assert_array_equal(tasks.offsets, [0, 10, 20, 30, 40])
    np.testing.assert_array_equal(tasks.matrix[:, 1], tasks.matrix[:, 0] * 0.25)
    np.testing.assert_array_equal(tasks.labels, tasks.matrix[:, 0] % 2)
    first = tasks.matrix[:10, 0]
    np.testing.assert_array_equal(first, np.arange(40)[NAMES.index(sorted(NAMES)[0]) :: 4])


def test_records_are_what_tfds_itself_would_write(rng):
    x = rng.normal(size=(5, 3)).astype(np.float32)
    serialized = row_examples.serialize(x, np.arange(5) - 2, ["ä b"] * 5, [str(i) for i in range(5)])
    for row, record in enumerate(serialized):
        features = tf.train.Example.FromString(record).features.feature
        assert set(features) == {"x", "label", "task", "id"}
        np.testing.assert_array_equal(np.asarray(features["x"].float_list.value, np.float32), x[row])
        assert features["label"].int64_list.value == [row - 2]
        assert features["task"].bytes_list.value == ["ä b".encode()]
        assert features["id"].bytes_list.value == [str(row).encode()]


def test_an_unchanged_table_is_not_built_again_and_a_changed_one_is(path, tmp_path):
    data_dir = tmp_path / "data"
    first = load(path, data_dir).name
    built = os.stat(path_of(first, str(data_dir))).st_mtime_ns
    os.utime(path)
    assert load(path, data_dir).name == first
    assert os.stat(path_of(first, str(data_dir))).st_mtime_ns == built
    write(tmp_path / "t.csv", CSV.replace("p,", "r,"))
    assert load(path, data_dir).name != first


def test_rows_are_written_in_batches_and_shards(path, tmp_path, monkeypatch):
    whole = load(path, tmp_path / "one").tasks
    monkeypatch.setattr(row_examples, "BATCH_ROWS", 7)
    monkeypatch.setattr(table_dataset_builder, "SHARD_BYTES", 100)
    monkeypatch.setattr("tffs.data.records.READ_BYTES", 64)
    loaded = load(path, tmp_path / "many")
    files = [name for name in os.listdir(path_of(loaded.name, str(tmp_path / "many"))) if "tfrecord" in name]
    assert len(files) == 3
    np.testing.assert_array_equal(loaded.tasks.matrix, whole.matrix)
    np.testing.assert_array_equal(loaded.tasks.labels, whole.labels)
    builder = tfds.builder_from_directory(path_of(loaded.name, str(tmp_path / "many")))
    assert len(list(builder.as_dataset(split="rows"))) == 40


def test_missing_values_stay_missing_until_the_rule_of_a_run_decides(tmp_path):
    path = write(tmp_path / "t.csv", CSV.replace(",5,1.25", ",5,").replace("p,shop [1],0,", ",shop [1],,"))
    data_dir = tmp_path / "data"
    with pytest.raises(UserError, match="2 values are missing(.|\n)*1 row\\(s\\) have no label"):
        load(path, data_dir)
    assert len(list((data_dir / "table").glob("*/1.0.0"))) == 1  # a run with another rule needs no preparing
    dropped = load(path, data_dir, "drop_rows").tasks
    np.testing.assert_array_equal(np.sort(dropped.matrix[:, 0]), [i for i in range(40) if i not in (0, 5)])
    np.testing.assert_array_equal(np.diff(dropped.offsets), [10, 9, 10, 9])
    assert len(dropped.labels) == 38
    with pytest.raises(UserError, match="1 row\\(s\\) have no label"):
        load(path, data_dir, "median")


def test_a_refused_table_leaves_nothing_behind(tmp_path):
    path = write(tmp_path / "t.csv", CSV.replace("5,1.25", "5,oops"))
    with pytest.raises(UserError, match="'x y' \\('oops' in row 6\\)"):
        load(path, tmp_path / "data")
    assert [file for _, _, files in os.walk(tmp_path / "data") for file in files if "lock" not in file] == []


def test_a_folder_of_files_and_many_tasks_are_read_back(tmp_path):
    folder = tmp_path / "machines"
    folder.mkdir()
    for machine in range(12):
        write_npz(folder / f"machine {machine}.npz", x=np.full((3, 2), machine, np.float32))
    place = DataPlace(str(tmp_path / "data"), table=TableOptions(str(folder)))
    tasks = loading.load(None, place).tasks
    assert len(tasks.task_names) == 12
    for name, rows in tasks.rows_by_task().items():
        np.testing.assert_array_equal(tasks.matrix[rows], np.full((3, 2), int(name.split()[1])))


def test_prepared_rows_that_are_gone_or_damaged_are_said(path, tmp_path):
    data_dir = tmp_path / "data"
    name = load(path, data_dir).name
    with pytest.raises(UserError, match="are not in --data_dir=.*: give the run's --table again"):
        loading.load(name, DataPlace(str(tmp_path / "elsewhere")))
    folder = path_of(name, str(data_dir))
    (record,) = (os.path.join(folder, file) for file in os.listdir(folder) if "tfrecord" in file)
    os.truncate(record, 100)
    with pytest.raises(UserError, match="cannot be read .*: delete that folder"):
        load(path, data_dir)


KILLED = r"""
import os, sys, time
from data_builders.table import table_dataset_builder as builder
from data_builders.table.options import TableOptions
from data_builders.table.table import Table
table = Table(TableOptions(sys.argv[1], "place", label_column="kind"))
def show(doing, share):
    if doing == "writing":
        os.write(1, b"writing\n")
        time.sleep(60)
builder.prepare_table(table, table.dataset(), sys.argv[2], show)
"""


def test_a_build_killed_in_the_middle_is_repeated_whole(path, tmp_path):
    data_dir = tmp_path / "data"
    command = [sys.executable, "-c", KILLED, path, str(data_dir)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout.readline() == "writing\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert list(data_dir.glob("table/*/incomplete.*"))
    began = time.monotonic()
    assert len(load(path, data_dir).tasks.matrix) == 40
    assert time.monotonic() - began < 60  # the dead process holds no lock
    assert not list(data_dir.glob("table/*/incomplete.*"))


def test_progress_is_told_while_reading_and_writing(path, tmp_path):
    heard = []
    table = Table(options(path))
    prepare_table(
        table,
        table.dataset(),
        str(tmp_path),
        lambda doing, share: heard.append((doing, share)),
    )
    assert [doing for doing, _ in heard] == sorted([doing for doing, _ in heard])  # reading, then writing
    assert heard[-1] == ("writing", 1.0)
