"""What keeps a pipeline from training on its data, one sentence each."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tensorflow_metadata.proto.v0 import anomalies_pb2, statistics_pb2

from pipelines.columns import HELD_OUT, LABEL, SOURCE, TASK
from pipelines.task_report import all_rows, task_slices
from tffs.errors import listed
from tffs.serving.description import Description

Statistics = Any  # statistics_pb2.DatasetFeatureStatisticsList, which has no types
_FLOAT, _INT = statistics_pb2.FeatureNameStatistics.FLOAT, statistics_pb2.FeatureNameStatistics.INT
_TEXT = statistics_pb2.FeatureNameStatistics.STRING


def problems(
    splits: Mapping[str, Statistics],
    anomalies: Mapping[str, anomalies_pb2.Anomalies],
    held_out: Sequence[str],
    missing: str,
    schema: Sequence[str],
    last: Description | None,
) -> list[str]:
    """List everything that is wrong.

    Args:
        splits: the statistics of each split.
        anomalies: what ExampleValidator found in each.
        held_out: the tasks that must be there to evaluate on; empty for any.
        missing: `error`, or what is done about missing values.
        schema: the columns that the schema has.
        last: of the model last blessed, whose clients send its columns, or None.
    """
    found = [*_empty(splits)]
    if not found:
        found += _anomalies(anomalies)
        found += _columns(splits, missing)
        found += _not_there(splits, anomalies, schema)
        found += _tasks(splits, held_out)
        if last is not None:
            found += _changes(splits, last)
    return list(dict.fromkeys(found))


def _empty(splits: Mapping[str, Statistics]) -> Iterator[str]:
    for split in (SOURCE, HELD_OUT):
        if split not in splits or not all_rows(splits[split]).num_examples:
            yield f"the split '{split}' has no rows: bring some, or delete the newest span"


def _anomalies(anomalies: Mapping[str, anomalies_pb2.Anomalies]) -> Iterator[str]:
    for split, found in anomalies.items():
        for column, info in sorted(found.anomaly_info.items()):
            kinds = {reason.type for reason in info.reason}
            if column == TASK and kinds <= {anomalies_pb2.AnomalyInfo.ENUM_TYPE_UNEXPECTED_STRING_VALUES}:
                continue  # new tasks are what this is for
            yield f"column '{column}' of the split '{split}': {_said(info)}"
        if found.HasField("dataset_anomaly_info"):
            yield f"the rows of the split '{split}': {_said(found.dataset_anomaly_info)}"


def _said(info: anomalies_pb2.AnomalyInfo) -> str:
    short, long = info.short_description.rstrip("."), info.description.rstrip(".")
    return long if long.startswith(short) else f"{short} ({long})"


def _not_there(
    splits: Mapping[str, Statistics],
    anomalies: Mapping[str, anomalies_pb2.Anomalies],
    schema: Sequence[str],
) -> Iterator[str]:
    """Name columns that rows may lack by the schema, so that TFDV says nothing, and all rows do lack."""
    told = {column for found in anomalies.values() for column in found.anomaly_info}
    for name in sorted({*schema} - {TASK, LABEL} - _names(splits[SOURCE]) - told):
        yield f"column '{name}' is in the schema and in no row: bring it, or take it out of the schema"


def _columns(splits: Mapping[str, Statistics], missing: str) -> Iterator[str]:
    for split, statistics in splits.items():
        rows = all_rows(statistics).num_examples
        for column in all_rows(statistics).features:
            name = column.path.step[0]
            if name == TASK:
                continue
            if name == LABEL:
                if column.type != _INT or column.num_stats.common_stats.max_num_values > 1:
                    yield f"'{LABEL}' of the split '{split}' must hold one number of a class (int64) in a row"
                continue
            if column.type != _FLOAT:
                held = "whole numbers (int64)" if column.type == _INT else "text"
                yield f"column '{name}' of the split '{split}' holds {held} where floats are expected"
                continue
            numbers = column.num_stats
            several = numbers.common_stats.max_num_values
            if several > 1:
                yield f"column '{name}' of the split '{split}' has {several} values in a row: one is expected"
            nan = max((histogram.num_nan for histogram in numbers.histograms), default=0)
            absent = rows - numbers.common_stats.num_non_missing + nan
            if absent and missing != "median":  # nobody drops rows of records
                yield (
                    f"column '{name}' of the split '{split}' lacks {absent} of {rows} values: fill them in, or "
                    "give --missing=median"
                )
            if math.isinf(numbers.min) or math.isinf(numbers.max):
                yield f"column '{name}' of the split '{split}' holds an infinite value"
    source, other = (_names(splits[split]) for split in (SOURCE, HELD_OUT))
    for name in sorted(source ^ other):
        where, lacks = (SOURCE, HELD_OUT) if name in source else (HELD_OUT, SOURCE)
        yield f"column '{name}' is in the split '{where}' and not in '{lacks}'"


def _tasks(splits: Mapping[str, Statistics], held_out: Sequence[str]) -> Iterator[str]:
    for split in (SOURCE, HELD_OUT):
        named = next((c for c in all_rows(splits[split]).features if c.path.step[0] == TASK), None)
        if named is not None and named.type != _TEXT:
            yield f"'{TASK}' of the split '{split}' holds numbers where the tasks' names are expected as text"
        elif named is None or named.string_stats.common_stats.num_missing:
            yield f"rows of the split '{split}' name no '{TASK}': every row must"
    gone = [task for task in held_out if task not in task_slices(splits[HELD_OUT])]
    if gone:
        yield f"the split '{HELD_OUT}' lacks the tasks {listed(gone)}, which are to be evaluated on"
    both = sorted(set(task_slices(splits[SOURCE])) & set(task_slices(splits[HELD_OUT])))
    if both:
        yield f"the tasks {listed(both)} are in both splits, so they would be evaluated on what they trained"


def _changes(splits: Mapping[str, Statistics], last: Description) -> Iterator[str]:
    known, now = set(last.feature_names), _names(splits[SOURCE])
    gone, new = sorted(known - now), sorted(now - known)
    if gone or new:
        yield (
            "the columns are not those of the model last blessed"
            + (f"; {listed(gone)} is missing" if gone else "")
            + (f"; {listed(new)} is new" if new else "")
            + ": correct the data, or choose another --pipeline_root"
        )
    training = last.training or {}
    trained = {*training.get("source_tasks", ()), training.get("validation_task")} - {None}
    there = {*task_slices(splits[SOURCE]), *task_slices(splits[HELD_OUT])}
    missing = sorted(trained - there)
    if missing:
        yield (
            f"the tasks {listed(missing)}, which the model last blessed was trained on, are missing: bring "
            "them back, or choose another --pipeline_root"
        )


def _names(statistics: Statistics) -> set[str]:
    return {column.path.step[0] for column in all_rows(statistics).features} - {TASK, LABEL}
