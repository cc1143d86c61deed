"""Small tables in every kind of file."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from data_builders.table.local_surveyor import LocalSurveyor
from data_builders.table.options import TableOptions
from data_builders.table.table import Table


def write(path, text):
    """Write text as a CSV, gzipped if the name says so."""
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)
    return str(path)


def write_parquet(path, **columns):
    pyarrow.parquet.write_table(pa.table(columns), path)
    return str(path)


def write_empty_parquet(path, groups):
    """Write a Parquet file of that many row groups, all without rows."""
    columns = pa.table({"task": pa.array([], pa.string()), "a": pa.array([], pa.float32())})
    with pyarrow.parquet.ParquetWriter(path, columns.schema) as writer:
        for _ in range(groups):
            writer.write_table(columns)
    assert pyarrow.parquet.read_metadata(path).num_row_groups == groups
    return str(path)


def write_npz(path, **arrays):
    np.savez(path, **arrays)
    return str(path)


def rows_of(table):
    """Read a table whole: float64 [rows, features] and the tasks."""
    pieces = list(table.pieces(lambda share: None))
    tasks = [
        task
        for piece in pieces
        for task in (
            [piece.task] * piece.block.x.shape[1] if piece.block.task is None else piece.block.task.to_pylist()
        )
    ]
    return np.concatenate([piece.block.x.T for piece in pieces]), tasks


def surveyed(path, task_column="task", **options):
    table = Table(TableOptions(path, task_column, **options))
    surveyor = LocalSurveyor(table.feature_names)
    for piece in table.pieces(lambda share: None):
        surveyor.add(piece)
    return surveyor.whole_survey()
