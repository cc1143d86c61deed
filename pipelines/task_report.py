"""How different the tasks are: each beside all source rows, feature by feature, by TFDV's measure."""

from typing import Any

import tfx.v1  # noqa: F401
from tensorflow_metadata.proto.v0 import schema_pb2, statistics_pb2

from pipelines.columns import LABEL, TASK

import tensorflow_data_validation as tfdv  # isort: skip  (older ones load only after TFX)

SHOWN = 5
_ALL = "All Examples"  # what TFDV calls the slice of all rows
_PREFIX = f"{TASK}_"  # and that of task rot0: task_rot0
_REPORTED_ONLY = 1.0  # a threshold that no divergence exceeds


def all_rows(
    statistics: statistics_pb2.DatasetFeatureStatisticsList,
) -> statistics_pb2.DatasetFeatureStatistics:
    """Give the statistics of all rows, which Beam puts anywhere among those of the tasks."""
    return next((found for found in statistics.datasets if found.name == _ALL), statistics.datasets[0])


def task_slices(
    statistics: statistics_pb2.DatasetFeatureStatisticsList,
) -> dict[str, statistics_pb2.DatasetFeatureStatisticsList]:
    """Give the statistics of each task, which StatisticsGen makes beside those of all rows."""
    names = [dataset.name for dataset in statistics.datasets if dataset.name.startswith(_PREFIX)]
    return {name.removeprefix(_PREFIX): tfdv.get_slice_stats(statistics, name) for name in sorted(names)}


def divergences(
    task: statistics_pb2.DatasetFeatureStatisticsList,
    source: statistics_pb2.DatasetFeatureStatisticsList,
    schema: schema_pb2.Schema,
) -> dict[str, float]:
    """Measure the Jensen-Shannon divergence, 0 to 1, of each feature between a task and all source rows."""
    compared = schema_pb2.Schema()
    compared.CopyFrom(schema)
    for feature in compared.feature:
        if feature.name not in (TASK, LABEL):
            feature.drift_comparator.jensen_shannon_divergence.threshold = _REPORTED_ONLY
    found = tfdv.validate_statistics(task, compared, previous_statistics=source)
    return {
        ".".join(info.path.step): info.drift_measurements[0].value
        for info in found.drift_skew_info
        if info.drift_measurements
    }


def task_report(
    splits: dict[str, statistics_pb2.DatasetFeatureStatisticsList], source: str, schema: schema_pb2.Schema
) -> dict[str, Any]:
    """Compare every task of every split with all rows of the source split.

    Args:
        splits: the statistics of each split.
        source: which of them is the source.
        schema: of the columns.

    Returns:
        By task its split, its rows, the mean divergence of its features, and the features that differ most.
    """
    everything = statistics_pb2.DatasetFeatureStatisticsList(datasets=[all_rows(splits[source])])
    report = {}
    for split, statistics in splits.items():
        for name, task in task_slices(statistics).items():
            found = divergences(task, everything, schema)
            largest = sorted(found, key=lambda feature: -found[feature])[:SHOWN]
            report[name] = {
                "split": split,
                "rows": int(task.datasets[0].num_examples),
                "mean_divergence": sum(found.values()) / len(found) if found else None,
                "differ_most": {feature: found[feature] for feature in largest},
            }
    return report
