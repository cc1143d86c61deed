"""Run Transform's module on a few rows, without the rest of a pipeline."""

import os

import numpy as np
import tensorflow as tf
import tensorflow_transform as tft
import tensorflow_transform.beam as tft_beam
from tensorflow_transform.tf_metadata import metadata_io

from pipelines.modules.preprocessing import preprocessing_fn


def transform(folder, rows, names, scaling, missing="error"):
    """Learn from the rows of some tasks, and scale them.

    Args:
        folder: of what Transform writes.
        rows: by task float32 [rows, features]; NaN is left out, as records do.
        names: one a column.
        scaling: as the flag.
        missing: as the flag.

    Returns:
        The folder of the transform graph, and a pattern of the files of scaled rows.
    """
    matrix = np.concatenate(list(rows.values()))
    sparse = np.isnan(matrix).any(axis=0)
    spec = {
        name: tf.io.VarLenFeature(tf.float32) if holes else tf.io.FixedLenFeature([1], tf.float32)
        for name, holes in zip(names, sparse, strict=True)
    }
    metadata = tft.DatasetMetadata.from_feature_spec({**spec, "task": tf.io.FixedLenFeature([1], tf.string)})
    raw = [
        {
            "task": [task.encode()],
            **{name: [] if np.isnan(x) else [x] for name, x in zip(names, row, strict=True)},
        }
        for task, part in rows.items()
        for row in part
    ]
    config = {"scaling": scaling, "missing": missing}
    with tft_beam.Context(temp_dir=os.path.join(folder, "tmp")):
        analyze = tft_beam.AnalyzeAndTransformDataset(lambda inputs: preprocessing_fn(inputs, config))
        (scaled, about), graph = (raw, metadata) | analyze
    graph_folder = os.path.join(folder, "graph")
    _ = graph | tft_beam.WriteTransformFn(graph_folder)
    metadata_io.write_metadata(metadata, os.path.join(graph_folder, "metadata"))  # as TFX's Transform does
    os.makedirs(os.path.join(folder, "Split-source"))
    path = os.path.join(folder, "Split-source", "rows.gz")
    coder = tft.coders.ExampleProtoCoder(about.schema)
    with tf.io.TFRecordWriter(path, options="GZIP") as writer:
        for row in scaled:
            writer.write(coder.encode(row))
    return graph_folder, os.path.join(folder, "Split-source", "*")
