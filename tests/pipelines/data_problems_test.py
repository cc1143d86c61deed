"""Every sentence about data that cannot be trained on."""

import numpy as np
import pytest
from tensorflow_metadata.proto.v0 import anomalies_pb2, statistics_pb2

from pipelines.data_problems import problems
from pipelines.task_report import all_rows
from tests.pipelines.measuring import statistics
from tffs.serving.description import Description

NAMES = ("größe", "f2")


def _rows(*tasks):
    return {task: np.random.default_rng(number).random((20, 2)) for number, task in enumerate(tasks)}


@pytest.fixture
def good():
    return {"source": statistics(_rows("a", "b"), NAMES), "held_out": statistics(_rows("c", "d"), NAMES)}


def _problems(splits, anomalies=None, held_out=(), missing="error", last=None, schema=NAMES):
    return problems(splits, anomalies or {}, held_out, missing, schema, last)


def _anomaly(column, kind, short, long):
    found = anomalies_pb2.Anomalies()
    info = found.anomaly_info[column]
    info.short_description, info.description = short, long
    info.reason.add(type=kind, short_description=short, description=long)
    return found


def _last(names=NAMES, source=("a",), validation="b"):
    training = {"source_tasks": list(source), "validation_task": validation}
    return Description(names, len(names), 1, 4, (4,), "minmax", "error", None, None, "r", None, 1, training)


def test_good_data_has_no_problem(good):
    assert _problems(good, held_out=["c", "d"], last=_last()) == []


@pytest.mark.parametrize("split", ["source", "held_out"])
def test_an_empty_split(split, good):
    sentence = f"the split '{split}' has no rows: bring some, or delete the newest span"
    assert _problems({**good, split: statistics({}, NAMES)}) == [sentence]
    assert _problems({other: found for other, found in good.items() if other != split}) == [sentence]


def test_what_tfdv_finds_is_told_once(good):
    kind = anomalies_pb2.AnomalyInfo.SCHEMA_NEW_COLUMN
    new = _anomaly("x", kind, "New column", "New column (column in data but not in schema)")
    assert _problems(good, {"source": new}) == [
        "column 'x' of the split 'source': New column (column in data but not in schema)"
    ]
    gone = _anomaly("y", anomalies_pb2.AnomalyInfo.FEATURE_TYPE_NOT_PRESENT, "Column dropped", "It is missing.")
    assert _problems(good, {"held_out": gone}) == [
        "column 'y' of the split 'held_out': Column dropped (It is missing)"
    ]


def test_what_tfdv_finds_of_all_rows_together_is_told(good):
    few = anomalies_pb2.Anomalies()
    few.dataset_anomaly_info.short_description = "Low num examples in dataset."
    few.dataset_anomaly_info.description = "The dataset has 40 examples, which is fewer than expected."
    assert _problems(good, {"source": few}) == [
        "the rows of the split 'source': Low num examples in dataset (The dataset has 40 examples, which is "
        "fewer than expected)"
    ]


def test_a_column_that_the_schema_allows_to_be_missing_and_that_all_rows_lack(good):
    sentence = "column 'f3' is in the schema and in no row: bring it, or take it out of the schema"
    assert _problems(good, schema=(*NAMES, "f3", "task", "label")) == [sentence]
    dropped = _anomaly("f3", anomalies_pb2.AnomalyInfo.FEATURE_TYPE_NOT_PRESENT, "Column dropped", "It is.")
    assert len(_problems(good, {"source": dropped}, schema=(*NAMES, "f3"))) == 1  # told once


def test_a_label_that_is_no_class_number(good):
    split = statistics(_rows("c", "d"), (*NAMES[:1], "label"))
    found = _problems({"source": good["source"], "held_out": split})
    assert "'label' of the split 'held_out' must hold one number of a class (int64) in a row" in found


def test_new_tasks_are_no_problem_but_a_task_of_another_type_is(good):
    kinds = anomalies_pb2.AnomalyInfo
    new = _anomaly("task", kinds.ENUM_TYPE_UNEXPECTED_STRING_VALUES, "Unexpected string values", "c")
    assert _problems(good, {"held_out": new}) == []
    number = _anomaly("task", kinds.UNEXPECTED_DATA_TYPE, "Expected BYTES", "INT")
    assert len(_problems(good, {"held_out": number})) == 1


def test_text_where_numbers_are_expected(good):
    rows = {task: np.array([["x", "y"]] * 20) for task in ("c", "d")}
    found = _problems({**good, "held_out": statistics(rows, NAMES)})
    assert found == [
        "column 'größe' of the split 'held_out' holds text where floats are expected",
        "column 'f2' of the split 'held_out' holds text where floats are expected",
    ]


def test_whole_numbers_where_floats_or_names_are_expected(good):
    split = statistics(_rows("c", "d"), NAMES)
    for column in all_rows(split).features:
        column.type = statistics_pb2.FeatureNameStatistics.INT
    found = _problems({**good, "held_out": split})
    assert "column 'f2' of the split 'held_out' holds whole numbers (int64) where floats are expected" in found
    assert any(
        problem.startswith("'task' of the split 'held_out' holds numbers where the tasks' names")
        for problem in found
    )


def test_missing_values_unless_they_are_dealt_with(good):
    rows = _rows("a", "b")
    rows["a"][[1, 4], 0] = np.nan
    splits = {**good, "source": statistics(rows, NAMES)}
    assert _problems(splits) == [
        "column 'größe' of the split 'source' lacks 2 of 40 values: fill them in, or give --missing=median"
    ]
    assert _problems(splits, missing="median") == []
    assert _problems(splits, missing="drop_rows") == _problems(splits)  # of records nobody drops any


def test_infinite_values(good):
    rows = _rows("a", "b")
    rows["b"][3, 1] = -np.inf
    assert _problems({**good, "source": statistics(rows, NAMES)}) == [
        "column 'f2' of the split 'source' holds an infinite value"
    ]


def test_columns_that_only_one_split_has(good):
    assert _problems({**good, "held_out": statistics(_rows("c", "d"), ("größe", "f3"))}) == [
        "column 'f2' is in the split 'source' and not in 'held_out'",
        "column 'f3' is in the split 'held_out' and not in 'source'",
    ]


def test_rows_that_name_no_task(good):
    nameless = statistics(_rows("c"), NAMES)
    for dataset in nameless.datasets:
        kept = [column for column in dataset.features if column.path.step[0] != "task"]
        del dataset.features[:]
        dataset.features.extend(kept)
    assert _problems({**good, "held_out": nameless}) == [
        "rows of the split 'held_out' name no 'task': every row must"
    ]


def test_held_out_tasks_that_are_not_there_or_also_trained_on(good):
    assert _problems(good, held_out=["c", "q"]) == [
        "the split 'held_out' lacks the tasks 'q', which are to be evaluated on"
    ]
    assert _problems({**good, "held_out": statistics(_rows("c", "b"), NAMES)}) == [
        "the tasks 'b' are in both splits, so they would be evaluated on what they trained"
    ]


def test_other_columns_than_those_of_the_model_that_serves(good):
    ending = ": correct the data, or choose another --pipeline_root"
    first = "the columns are not those of the model last blessed"
    assert _problems(good, last=_last(("größe", "f3"))) == [f"{first}; 'f3' is missing; 'f2' is new{ending}"]
    assert _problems(good, last=_last(("größe", "f2", "f3"))) == [f"{first}; 'f3' is missing{ending}"]
    assert _problems(good, last=_last(("größe",))) == [f"{first}; 'f2' is new{ending}"]


def test_tasks_that_the_model_that_serves_was_trained_on_are_missing(good):
    assert _problems(good, last=_last(source=("a", "y"), validation="z")) == [
        "the tasks 'y', 'z', which the model last blessed was trained on, are missing: bring them back, or "
        "choose another --pipeline_root"
    ]
    assert _problems(good, last=_last(source=("c",), validation=None)) == []  # it is held out now
