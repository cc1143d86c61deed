"""Rows as tasks, whatever order they came in."""

import numpy as np
import pytest
import tensorflow as tf

from pipelines.transformed import as_tasks, read_scaled
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
        for x, task in rows:
            example = tf.train.Example()
            example.features.feature["x"].float_list.value.extend(x)
            example.features.feature["task"].bytes_list.value.append(task)
            writer.write(example.SerializeToString())


def test_rows_are_read_from_all_files(tmp_path):
    _write(tmp_path / "one.gz", [((1.0, 2.0), b"u"), ((3.0, 4.0), b"v")])
    _write(tmp_path / "two.gz", [((0.5, 9.0), b"u")])
    found = read_scaled([str(tmp_path / "*")], NAMES)
    assert found.task_names == ("u", "v")
    assert found.labels is None
    assert sorted(found.matrix[:2].tolist()) == [[0.5, 9.0], [1.0, 2.0]]


def test_a_split_without_rows_and_one_that_is_damaged_are_one_sentence(tmp_path):
    _write(tmp_path / "none.gz", [])
    with pytest.raises(UserError, match="There are no transformed examples to train on"):
        read_scaled([str(tmp_path / "none.gz")], NAMES)
    _write(tmp_path / "cut.gz", [((1.0, 2.0), b"u")] * 50)
    whole = (tmp_path / "cut.gz").read_bytes()
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(
        UserError, match=r"The transformed examples cannot be read \(.*\): run Transform again."
    ):
        read_scaled([str(tmp_path / "cut.gz")], NAMES)
