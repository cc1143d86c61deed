"""Write spans of records by hand, as a user who brings their own does."""

import numpy as np
import tensorflow as tf

from pipelines.input_spans import serialize
from tests.pipelines import tiny


def write_span(folder, number, rows=None, names=tiny.ORDER, change=lambda example: None):
    """Write `span-<number>` below a folder.

    Args:
        folder: of the spans.
        number: of the span.
        rows: the rows of each task; those of the tiny table if not given.
        names: of the columns.
        change: is given every row as an Example to change.
    """
    rows = tiny.values() if rows is None else rows
    for split, tasks in (("source", tiny.SOURCE), ("held_out", tiny.HELD_OUT)):
        path = folder / f"span-{number}" / split
        path.mkdir(parents=True)
        with tf.io.TFRecordWriter(str(path / "rows.tfrecord")) as writer:
            for task in (task for task in tasks if task in rows):
                labels = (tiny.labels(rows[task]) == "well").astype(np.int64)
                for record in serialize(rows[task], names, [task] * len(rows[task]), labels):
                    example = tf.train.Example.FromString(record)
                    change(example)
                    writer.write(example.SerializeToString())
    return path.parent
