"""TFDV's statistics of a few rows, with a slice a task as StatisticsGen makes them, in milliseconds."""

import pandas as pd
import tfx.v1  # noqa: F401
from tensorflow_metadata.proto.v0 import statistics_pb2

import tensorflow_data_validation as tfdv  # isort: skip  (older ones load only after TFX)


def statistics(rows, names):
    """Measure rows.

    Args:
        rows: by task [rows, columns], of numbers or of text; NaN for a missing value.
        names: one a column.
    """
    frames = {task: pd.DataFrame(part, columns=list(names)).assign(task=task) for task, part in rows.items()}
    everything = pd.concat(frames.values()) if frames else pd.DataFrame({name: [] for name in names})
    found = statistics_pb2.DatasetFeatureStatisticsList()
    # Beam puts that of all rows anywhere.
    for slice_name, frame in {
        **{f"task_{task}": part for task, part in frames.items()},
        "All Examples": everything,
    }.items():
        dataset = found.datasets.add()
        dataset.CopyFrom(tfdv.generate_statistics_from_dataframe(frame.reset_index(drop=True)).datasets[0])
        dataset.name = slice_name
    return found
