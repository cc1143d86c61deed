"""Parquet files of every type of column, whole or with a few bytes changed."""

import datetime
import decimal
import io
import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from fuzzing.almost.csv_text import NAMES, STRANGE, TASKS

_DAY = datetime.date(2020, 1, 2)
_COLUMNS: Sequence[tuple[pa.DataType, Sequence[Any]]] = (
    (pa.float64(), (1.5, -2.0, float("nan"), float("inf"), 1e300, None)),
    (pa.float32(), (1.5, 0.0, None)),
    (pa.float16(), (1.5, None)),
    (pa.int64(), (1, -(2**63), 2**53 + 1, None)),
    (pa.uint64(), (1, 2**64 - 1)),
    (pa.int8(), (1, -128)),
    (pa.bool_(), (True, False, None)),
    (pa.string(), ("1", "2.5", *STRANGE)),
    (pa.large_string(), ("1", "x", None)),
    (pa.string_view(), ("1", "x", None)),
    (pa.binary(), (b"1", b"\xff", None)),
    (pa.decimal128(9, 2), (decimal.Decimal("1.25"), None)),
    (pa.decimal256(60, 2), (decimal.Decimal("1e50"), None)),
    (pa.date32(), (_DAY, None)),
    (pa.timestamp("us"), (datetime.datetime(2020, 1, 2), None)),
    (pa.time32("s"), (datetime.time(1, 2), None)),
    (pa.duration("s"), (datetime.timedelta(1), None)),
    (pa.null(), (None,)),
    (pa.list_(pa.int8()), ([1], [], None)),
    (pa.struct([("a", pa.int8())]), ({"a": 1}, None)),
    (pa.dictionary(pa.int8(), pa.string()), ("1", "x", None)),
    (pa.dictionary(pa.int32(), pa.int64()), (1, 2, None)),
)


def parquet_bytes(source: random.Random, names: Sequence[str] | None = None) -> bytes:
    """Draw a Parquet file with the column `task`, or with most of the columns that are named."""
    rows = source.choice((0, 1, 2, 3, 6))
    if names is None:
        columns = {"task": _tasks(source, rows)}
        names = source.sample(NAMES[1:], source.randint(1, 4))
    else:
        columns = {}
    pairs = [*columns.items(), *((name, _column(source, rows)) for name in names if source.random() < 0.97)]
    out = io.BytesIO()
    table = pa.Table.from_arrays([column for _, column in pairs], names=[name for name, _ in pairs])
    pyarrow.parquet.write_table(
        table,
        out,
        row_group_size=source.choice((None, 1, 2)),
        compression=source.choice(("snappy", "none", "gzip", "zstd")),
    )
    return out.getvalue()


def _tasks(source: random.Random, rows: int) -> pa.Array:
    if source.random() < 0.8:
        return pa.array([source.choice(TASKS) for _ in range(rows)], pa.string())
    return _column(source, rows)


def _column(source: random.Random, rows: int) -> pa.Array:
    kind, values = source.choice(_COLUMNS[:4] if source.random() < 0.7 else _COLUMNS)
    if source.random() < 0.7:
        values = values[:2]
    return pa.array([source.choice(values) for _ in range(rows)], kind)
