"""What a person says about a table; importing this imports neither PyArrow nor TensorFlow."""

import dataclasses
import os
from typing import Any

from data_builders.reference import TABLE

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".data", ".parquet", ".npz")


@dataclasses.dataclass(frozen=True)
class TableOptions:
    """Where a table is and what its columns are.

    Attributes:
        path: a CSV (also .gz), Parquet or .npz file, or a folder with one such file a task.
        task_column: the column that names the task; None for a folder and for .npz, which need none.
        feature_columns: the features; empty for every column that has no other part.
        label_column: classes for evaluation, or None.
        ignore_columns: columns to leave out.
    """

    path: str
    task_column: str | None = None
    feature_columns: tuple[str, ...] = ()
    label_column: str | None = None
    ignore_columns: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "TableOptions":
        """Build from a JSON object with these fields."""
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


def same_content(dataset: str, other: str) -> bool:
    """Tell whether two datasets of tables hold the same rows, whatever their files were called."""
    return content_of(dataset) == content_of(other)


def content_of(dataset: str) -> str:
    """Give what a table is known by, whatever its file was called; the name of another dataset as it is."""
    return dataset.rpartition("-")[2] if is_table(dataset) else dataset


def is_table(dataset: str) -> bool:
    """Tell whether a dataset is a user's table, by its name."""
    return dataset.startswith(f"{TABLE}/")
