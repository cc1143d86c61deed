"""The records of a pipeline: what a row looks like, and when a new span is written."""

import os

import numpy as np
import pytest
import tensorflow as tf

from pipelines import write_records
from pipelines.configs import from_arguments
from pipelines.input_spans import check_input, dataset_of, newest_span, serialize, write_input
from tests.pipelines import tiny
from tests.pipelines.conftest import run
from tffs.errors import UserError


@pytest.fixture
def write(tmp_path):
    """Write the records of a table, by the flags of a pipeline."""

    def go(text=None, *flags):
        table = tmp_path / "voices.csv"
        table.write_text(tiny.table() if text is None else text, encoding="utf-8")
        place = (f"--table={table}", f"--data_dir={tmp_path / 'tfds'}", f"--pipeline_root={tmp_path / 'root'}")
        config = from_arguments(["pipelines", *tiny.FLAGS, *place, *flags])
        return write_input(config.run, config.place, config.held_out, config.input, lambda sentence: None)

    return go


def _examples(span, split):
    (file,) = os.listdir(os.path.join(span, split))
    found = tf.data.TFRecordDataset(os.path.join(span, split, file))
    return [tf.train.Example.FromString(record.numpy()).features.feature for record in found]


def test_a_row_is_an_example_with_one_named_float_a_column():
    x = np.array([[1.5, np.nan], [-2.0, 1e30]], np.float32)
    first, second = serialize(x, ["größe", "a/b"], ["u", "v w"], np.array([3, -1]))
    expected = tf.train.Example()
    expected.features.feature["größe"].float_list.value.append(1.5)
    expected.features.feature["a/b"].Clear()
    expected.features.feature["task"].bytes_list.value.append(b"u")
    expected.features.feature["label"].int64_list.value.append(3)
    assert tf.train.Example.FromString(first) == expected
    found = tf.train.Example.FromString(second).features.feature
    np.testing.assert_array_equal(found["a/b"].float_list.value, np.array([1e30], np.float32))
    assert found["task"].bytes_list.value == [b"v w"]
    assert not found["label"].int64_list.value


def test_rows_without_labels_have_none():
    (record,) = serialize(np.ones((1, 1), np.float32), ["a"], ["u"], None)
    assert set(tf.train.Example.FromString(record).features.feature) == {"a", "task"}


def test_source_and_held_out_tasks_are_splits_with_the_values_of_the_table(write):
    span = write(None, "--held_out_tasks=t4,t5")
    for split, tasks in (("source", tiny.SOURCE), ("held_out", tiny.HELD_OUT)):
        found = _examples(span, split)
        who = [row["task"].bytes_list.value[0].decode() for row in found]
        assert who == np.repeat(tasks, tiny.ROWS).tolist()
        matrix = [[row[name].float_list.value[0] for name in tiny.ORDER] for row in found]
        np.testing.assert_array_equal(np.array(matrix, np.float32), tiny.joined(tasks))
        assert {row["label"].int64_list.value[0] for row in found} == {0, 1}


def test_missing_values_are_left_out_of_a_row(write):
    rows = tiny.values()
    rows["t0"][2, 6] = np.nan
    found = _examples(write(tiny.table(rows), "--held_out_tasks=t5", "--missing=median"), "source")
    lacking = [number for number, row in enumerate(found) if not row["größe"].float_list.value]
    assert lacking == [2]


def test_a_column_without_a_value_in_the_source_tasks_has_no_median(write):
    rows = tiny.values()
    for task in tiny.SOURCE:
        rows[task][:, 6] = np.nan
    with pytest.raises(UserError, match=r"1 column\(s\) have no value in the source tasks.*'größe'"):
        write(tiny.table(rows), "--held_out_tasks=t4,t5", "--missing=median")


def test_tasks_that_are_too_small_are_told_before_anything_is_written(write, tmp_path):
    for task, sentence in (
        ("t4", f"The held-out task t4 has {tiny.SUPPORT} rows, but evaluating takes more than the"),
        ("t1", "t1"),
    ):
        rows = {name: part[: tiny.SUPPORT] if name == task else part for name, part in tiny.values().items()}
        with pytest.raises(UserError, match=sentence):
            write(tiny.table(rows), "--held_out_tasks=t4,t5")
    assert not (tmp_path / "root").exists()


def test_the_same_data_is_not_written_twice(write):
    span = write(None, "--held_out_tasks=t4,t5")
    before = os.stat(os.path.join(span, "source")).st_mtime_ns
    assert write(None, "--held_out_tasks=t5,t4") == span  # in whichever order they are named
    assert os.stat(os.path.join(span, "source")).st_mtime_ns == before
    assert dataset_of(os.path.dirname(span)).startswith("table/voices-")


def test_other_data_or_other_held_out_tasks_make_a_new_span(write):
    first = write(None, "--held_out_tasks=t4")
    second = write(None, "--held_out_tasks=t5")
    third = write(tiny.table().replace("sick", "ill"), "--held_out_tasks=t5")
    folder = os.path.dirname(first)
    assert [os.path.basename(span) for span in (first, second, third)] == ["span-1", "span-2", "span-3"]
    assert sorted(os.listdir(folder)) == ["span-1", "span-2", "span-3"]
    assert newest_span(folder) == third


def test_a_task_is_drawn_from_the_seed_where_none_is_named(write):
    spans = [write(None, f"--seed={seed}") for seed in (1, 1, 2, 3)]
    drawn = [{row["task"].bytes_list.value[0] for row in _examples(span, "held_out")} for span in spans]
    assert spans[0] == spans[1]
    assert all(len(tasks) == 1 for tasks in drawn)
    assert b"t3" not in set.union(*drawn)  # which validates


@pytest.mark.parametrize("name", ["task", "label"])
def test_a_feature_must_not_take_the_names_that_the_pipeline_uses(name, write):
    with pytest.raises(UserError, match=f"a feature is called '{name}': give that column another name"):
        write(tiny.table().replace("größe", name), "--held_out_tasks=t5")


def test_newest_is_the_greatest_number_and_not_the_last_name(tmp_path):
    for name in ("span-9", "span-10", "span-x", ".tffs-tmp-1", "other"):
        (tmp_path / name).mkdir()
    assert newest_span(str(tmp_path)) == str(tmp_path / "span-10")
    assert newest_span(str(tmp_path / "nowhere")) is None


def test_a_folder_of_spans_is_only_read_if_both_splits_have_records(tmp_path):
    for split in ("source", "held_out"):
        with pytest.raises(UserError, match=rf"must hold .*{'folders' if split == 'source' else 'held_out'}"):
            check_input(str(tmp_path))
        (tmp_path / "span-1" / split).mkdir(parents=True)
        (tmp_path / "span-1" / split / "rows").write_bytes(b"x")
    check_input(str(tmp_path))


def test_the_newest_span_is_a_folder_that_is_there(tmp_path):
    for name in ("span-2", "span-09", "2024", "span-x", "notes"):
        (tmp_path / name).mkdir()
    assert newest_span(str(tmp_path)) == str(tmp_path / "span-09")


def test_the_command_writes_records_without_running_anything(tmp_path):
    (tmp_path / "voices.csv").write_text(tiny.table(), encoding="utf-8")
    place = (f"--table={tmp_path / 'voices.csv'}", f"--data_dir={tmp_path / 'tfds'}")
    outcome = run(write_records.main, *place, *tiny.FLAGS, f"--input={tmp_path / 'in'}", "--held_out_tasks=t5")
    assert outcome == (0, f"{tmp_path / 'in' / 'span-1'}\n", "")
    outcome = run(write_records.main, *place, *tiny.FLAGS, f"--input={tmp_path / 'in'}", "--held_out_tasks=t7")
    assert outcome.code == 1
    assert outcome.err.startswith(
        "pipelines.write_records: The tasks to hold out must be in the data, but 't7' is not"
    )
