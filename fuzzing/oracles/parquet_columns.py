"""What Arrow gives of a Parquet file as objects of Python, and whether tffs read the same numbers."""

import io
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from fuzzing.broken import Broken
from fuzzing.oracles.csv_cells import Rows


def compare_parquet(content: bytes, read: Rows, precision: type = np.float64) -> None:
    """Raise `Broken` if a column of numbers holds others; columns of text are read as those of a CSV are."""
    try:
        table = pyarrow.parquet.ParquetFile(io.BytesIO(content)).read()
    except (pa.ArrowException, OSError):  # a column is damaged that tffs had no need of
        return
    names = [" ".join(name.split()) for name in table.schema.names]
    for feature, name in enumerate(read.names):
        column = table.column(names.index(name)) if names.count(name) == 1 else None
        if column is None or not (pa.types.is_primitive(column.type) or pa.types.is_decimal(column.type)):
            continue
        if pa.types.is_temporal(column.type):
            continue
        with np.errstate(over="ignore"):
            values = (math.nan if value is None else float(value) for value in column.to_pylist())
            expected = np.array([precision(value) for value in values])
        got: np.ndarray = read.x[:, feature].astype(precision)
        # Arrow's own cast of a decimal is up to two units in the last place off.
        rounding = 2 * np.finfo(precision).eps if pa.types.is_decimal(column.type) else 0.0
        same = got.shape == expected.shape and np.allclose(
            got, expected, rtol=rounding, atol=0.0, equal_nan=True
        )
        if not same:
            raise Broken(f"the column of {column.type} was read as {got[:9]}, not {expected[:9]}")
