"""What a table holds, column by column and task by task."""

import dataclasses
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Survey:
    """All that can be said about a table's rows.

    Attributes:
        rows: how many there are.
        feature_names: one a feature.
        missing: missing values of each feature; text is counted apart.
        infinite: values of each feature that are infinite, or too large for 32 bits.
        text: cells of each feature that hold text.
        places: by feature name and kind (`missing`, `infinite`, `text`), the first such cell.
        low: the least finite value of each feature, NaN where there is none.
        high: the greatest.
        like_id: features of whole numbers that are all different.
        only_task: by feature, the only task in which it has values, for features that have them in one only.
        task_names: sorted.
        task_rows: rows of each task.
        complete_rows: rows of each task without a missing value or label.
        without_task: rows that name no task, and the first of them.
        classes: how many different labels there are, 0 without labels.
        without_label: rows of a labelled table that have no label, and the first of them.
        identical: groups of features that have the same value in every row; unknown for a table that was
            prepared before version 0.6.0.
    """

    rows: int
    feature_names: tuple[str, ...]
    missing: np.ndarray
    infinite: np.ndarray
    text: np.ndarray
    places: dict[str, dict[str, str]]
    low: np.ndarray
    high: np.ndarray
    like_id: tuple[str, ...]
    only_task: dict[str, str]
    task_names: tuple[str, ...]
    task_rows: np.ndarray
    complete_rows: np.ndarray
    without_task: tuple[int, str]
    classes: int
    without_label: tuple[int, str]
    identical: tuple[tuple[str, ...], ...] = ()

    def rows_left(self, missing: str) -> np.ndarray:
        """Give the rows of each task that a rule for missing values leaves."""
        return self.complete_rows if missing == "drop_rows" else self.task_rows

    def to_metadata(self) -> dict[str, Any]:
        """Give plain values that JSON can hold."""
        plain = dataclasses.asdict(self)
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in plain.items()
        }

    @classmethod
    def from_metadata(cls, values: dict[str, Any]) -> "Survey":
        """Build from what `to_metadata` gave."""
        plain = {"identical": (), **values}
        plain["identical"] = tuple(map(tuple, plain["identical"]))
        for field in dataclasses.fields(cls):
            value = plain[field.name]
            if field.type is np.ndarray:
                plain[field.name] = np.asarray(value)
            elif isinstance(value, list):
                plain[field.name] = tuple(value)
        return cls(**plain)
