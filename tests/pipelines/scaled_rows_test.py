"""Rows as tasks, whatever order they came in."""

import dataclasses
import tracemalloc

import numpy as np
import pytest
import tensorflow as tf

from pipelines import scaled_rows
from pipelines.row_order import as_tasks
from pipelines.scaled_rows import fingerprint, read_scaled
from tffs.errors import UserError

NAMES = ("a", "b")


def test_tasks_do_not_depend_on_the_order_of_rows(rng):
    rows = rng.random((30, 2), dtype=np.float32)
    rows[5] = rows[6]  # of which one is as good as the other
    tasks = np.array([b"z", b"x", b"y"] * 10)
    labels = np.arange(30)
    labels[5] = labels[6]
    tasks[5] = tasks[6]
    expected = as_tasks(rows, tasks, labels, NAMES)
    assert expected.task_names == ("x", "y", "z")
    for _ in range(5):
        order = rng.permutation(30)
        found = as_tasks(rows[order], tasks[order], labels[order], NAMES)
        assert found.task_names == expected.task_names
        for name in ("matrix", "offsets", "labels"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_every_row_stays_with_its_task_and_label(rng):
    rows = rng.random((12, 2), dtype=np.float32)
    tasks = np.array([b"u", b"v", b"v"] * 4)
    found = as_tasks(rows, tasks, np.arange(12), NAMES)
    for name, places in found.rows_by_task().items():
        for place in places:
            original = found.labels[place]
            assert tasks[original].decode() == name
            np.testing.assert_array_equal(found.matrix[place], rows[original])


def _write(path, rows):
    with tf.io.TFRecordWriter(str(path), options="GZIP") as writer:
        for x, task, *label in rows:
            example = tf.train.Example()
            example.features.feature["x"].float_list.value.extend(x)
            example.features.feature["task"].bytes_list.value.append(task)
            if label:
                example.features.feature["label"].int64_list.value.extend(label)
            writer.write(example.SerializeToString())


@pytest.fixture
def small_batches(monkeypatch):
    """Seven rows at a time, so that a few rows are many batches."""
    monkeypatch.setattr(scaled_rows, "batch_rows", lambda width: 7)


def test_rows_of_all_files_are_sorted_on_the_disk_as_they_are_in_memory(tmp_path, rng, small_batches):
    x, tasks, labels = rng.random((60, 2), dtype=np.float32), np.array([b"v", b"u", b"w"] * 20), np.arange(60)
    x[3] = x[6]
    for number, part in enumerate(np.array_split(rng.permutation(60), 2)):
        _write(tmp_path / f"{number}.gz", zip(x[part], tasks[part], labels[part], strict=True))
    expected = as_tasks(x, tasks, labels, NAMES)
    found = read_scaled([str(tmp_path / "*.gz")], NAMES, str(tmp_path / "scratch"))
    assert isinstance(found.matrix, np.memmap)
    assert not list((tmp_path / "scratch").iterdir())  # without names, nothing is left
    assert found.task_names == expected.task_names == ("u", "v", "w")
    for name in ("matrix", "offsets"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(x[found.labels], found.matrix)
    assert fingerprint(found) == fingerprint(dataclasses.replace(expected, labels=None))
    changed = expected.matrix.copy()
    changed[-1, -1] += 1.0
    assert fingerprint(found) != fingerprint(dataclasses.replace(expected, matrix=changed))


def test_memory_holds_batches_and_not_the_rows(tmp_path, rng, monkeypatch):
    rows, width = 4000, 256
    monkeypatch.setattr(scaled_rows, "batch_rows", lambda width: 100)
    x = rng.random((rows, width), dtype=np.float32)
    _write(tmp_path / "rows.gz", zip(x, [b"u"] * rows, strict=True))
    tracemalloc.start()
    found = read_scaled([str(tmp_path / "rows.gz")], tuple(map(str, range(width))), str(tmp_path))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.matrix.nbytes == x.nbytes
    assert most < x.nbytes / 4


def test_a_split_without_rows_one_that_is_damaged_and_a_full_disk_are_one_sentence(tmp_path):
    def read(name, scratch="scratch"):
        return read_scaled([str(tmp_path / name)], NAMES, str(tmp_path / scratch))

    _write(tmp_path / "none.gz", [])
    with pytest.raises(UserError, match="There are no transformed examples to train on"):
        read("none.gz")
    _write(tmp_path / "cut.gz", [((1.0, 2.0), b"u")] * 50)
    whole = (tmp_path / "cut.gz").read_bytes()
    with pytest.raises(UserError, match=r"could not be sorted in .*none\.gz \(.*\): they need room twice"):
        read("cut.gz", scratch="none.gz")
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(
        UserError, match=r"The transformed examples cannot be read \(.*\): run Transform again."
    ):
        read("cut.gz")
