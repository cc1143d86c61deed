"""What a person says about a table; importing this imports neither PyArrow nor TensorFlow."""

import dataclasses
import os
from typing import Any

from tffs.errors import UserError
from tffs.options import Section, option

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".data", ".parquet", ".npz")


@dataclasses.dataclass(frozen=True)
class TableOptions(Section, group="Your own table"):
    """Where a table is and what its columns are.

    Attributes:
        path: a CSV (also .gz), Parquet or .npz file, or a folder with one such file a task.
        task_column: the column that names the task; None for a folder and for .npz, which need none.
        feature_columns: the features; empty for every column that has no other part.
    """

    path: str = option(
        dataclasses.MISSING,
        "your own table instead: a CSV (also .gz), Parquet or .npz file, or a folder with one such file a task",
        name="table",
        path=True,
    )
    task_column: str | None = option(None, "the table's column that says which task a row is of")
    feature_columns: tuple[str, ...] = option(
        (),
        "the table's features, separated by commas (a name with a comma in double quotes); all other columns "
        "if not given",
    )
    label_column: str | None = option(
        None,
        "the table's column of classes, compared with clusters in the end, and predicted with "
        "--loss=cross_entropy",
    )
    ignore_columns: tuple[str, ...] = option((), "columns of the table to leave out")

    @classmethod
    def from_json(cls, values: Any) -> "TableOptions":
        """Build from a JSON object with these fields; what is none raises `UserError`."""
        known = {field.name for field in dataclasses.fields(cls)}
        if not isinstance(values, dict) or "path" not in values or not known >= values.keys():
            raise UserError(f"a table must be an object with path and no more than {', '.join(sorted(known))}")
        fields: Any = {
            name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
        }
        return cls(**fields)


def stem_of(path: str) -> str:
    """Give a table's name: its file's name without folder and ending."""
    name = os.path.basename(os.path.abspath(path))
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name
