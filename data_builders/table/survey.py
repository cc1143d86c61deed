"""What a table holds, column by column and task by task, gathered in one pass over its blocks."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from data_builders.table.table import Piece

LARGEST = float(np.finfo(np.float32).max)
LARGEST_WHOLE = 2.0**53  # beyond it every float64 is a whole number
_NO_TASK = np.iinfo(np.int64).max


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

    def to_metadata(self) -> dict[str, Any]:
        """Give plain values that JSON can hold."""
        plain = dataclasses.asdict(self)
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in plain.items()
        }

    @classmethod
    def from_metadata(cls, values: dict[str, Any]) -> "Survey":
        """Build from what `to_metadata` gave."""
        plain = dict(values)
        for field in dataclasses.fields(cls):
            value = plain[field.name]
            if field.type is np.ndarray:
                plain[field.name] = np.asarray(value)
            elif isinstance(value, list):
                plain[field.name] = tuple(value)
        return cls(**plain)


class Surveyor:
    """Gathers a survey block by block.

    Args:
        feature_names: one a feature.

    Attributes:
        rows: rows seen so far.
    """

    def __init__(self, feature_names: Sequence[str]) -> None:
        self._names = tuple(feature_names)
        count = len(self._names)
        self.rows = 0
        self._missing, self._infinite, self._text = (np.zeros(count, np.int64) for _ in range(3))
        self._low, self._high = np.full(count, np.inf), np.full(count, -np.inf)
        self._places: dict[str, dict[str, str]] = {}
        self._whole: dict[int, list[np.ndarray]] = {feature: [] for feature in range(count)}
        self.tasks = Names()
        self.labels = Names()
        self._first_task, self._last_task = np.full(count, _NO_TASK), np.full(count, -1)
        self._task_rows, self._complete_rows = np.zeros(0, np.int64), np.zeros(0, np.int64)

    def add(self, piece: Piece) -> tuple[np.ndarray, np.ndarray | None]:
        """Take in the next piece.

        Returns:
            The codes of the rows' tasks and, where there are any, labels: int64 [rows], -1 for none.
        """
        x = piece.block.x
        rows = x.shape[1]
        self._add_values(piece)
        if piece.task is None:
            assert piece.block.task is not None
            tasks = self.tasks.codes(piece.block.task, piece)
        else:
            tasks = np.full(rows, self.tasks.code(piece.task))
        grown = len(self.tasks.names) - len(self._task_rows)
        self._task_rows = np.pad(self._task_rows, (0, grown))
        self._complete_rows = np.pad(self._complete_rows, (0, grown))
        label = piece.block.label
        labels = None if label is None else self.labels.codes(label, piece)
        known = tasks >= 0
        there = ~np.isnan(x)
        complete = known & there.all(axis=0) & (True if labels is None else labels >= 0)
        spread = np.broadcast_to(tasks, x.shape)
        self._first_task = np.minimum(
            self._first_task, np.min(spread, axis=1, where=there & known, initial=_NO_TASK)
        )
        self._last_task = np.maximum(self._last_task, np.max(spread, axis=1, where=there & known, initial=-1))
        self._task_rows += np.bincount(tasks[known], minlength=len(self._task_rows))
        self._complete_rows += np.bincount(tasks[complete], minlength=len(self._task_rows))
        self.rows += rows
        return tasks, labels

    def _add_values(self, piece: Piece) -> None:
        x = piece.block.x
        missing, infinite = np.isnan(x), np.abs(x) > LARGEST
        for cells in piece.block.text:
            self._text[cells.feature] += cells.cells
            self._note("text", cells.feature, f"'{cells.value}' in {piece.where(cells.row)}")
        text = np.zeros(len(x), np.int64)
        text[[cells.feature for cells in piece.block.text]] = [cells.cells for cells in piece.block.text]
        counts = missing.sum(axis=1)
        for feature in np.flatnonzero((counts > text) & (self._missing == 0)).tolist():
            self._note("missing", feature, piece.where(int(missing[feature].argmax())))
        self._missing += counts - text
        for feature in np.flatnonzero(infinite.any(axis=1) & (self._infinite == 0)).tolist():
            row = int(infinite[feature].argmax())
            self._note("infinite", feature, f"{x[feature, row]} in {piece.where(row)}")
        self._infinite += infinite.sum(axis=1)
        usable = ~(missing | infinite)
        self._low = np.minimum(self._low, np.min(x, axis=1, where=usable, initial=np.inf))
        self._high = np.maximum(self._high, np.max(x, axis=1, where=usable, initial=-np.inf))
        for feature in list(self._whole):
            values = x[feature]
            whole = (values == np.floor(values)) & (np.abs(values) < LARGEST_WHOLE)
            if not whole.all() or len(np.unique(values)) < len(values):
                del self._whole[feature]
            else:
                self._whole[feature].append(values.copy())  # a view would keep the whole block

    def _note(self, kind: str, feature: int, place: str) -> None:
        self._places.setdefault(self._names[feature], {}).setdefault(kind, place)

    def survey(self) -> Survey:
        """Give what was gathered."""
        order = self.tasks.sorted_codes()
        nothing = self._low > self._high
        return Survey(
            rows=self.rows,
            feature_names=self._names,
            missing=self._missing,
            infinite=self._infinite,
            text=self._text,
            places=self._places,
            low=np.where(nothing, np.nan, self._low),
            high=np.where(nothing, np.nan, self._high),
            like_id=tuple(
                self._names[feature]
                for feature, values in self._whole.items()
                if self.rows > 1 and len(np.unique(np.concatenate(values))) == self.rows
            ),
            only_task={
                self._names[feature]: self.tasks.names[self._last_task[feature]]
                for feature in np.flatnonzero(self._first_task == self._last_task).tolist()
            },
            task_names=tuple(self.tasks.names[code] for code in order),
            task_rows=self._task_rows[order],
            complete_rows=self._complete_rows[order],
            without_task=self.tasks.unnamed,
            classes=len(self.labels.names),
            without_label=self.labels.unnamed,
        )


class Names:
    """Numbers names in the order in which they come.

    Attributes:
        names: the names so far; a name's code is its place here.
        unnamed: how many rows had no name, and where the first of them stands.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.unnamed = (0, "")
        self._codes: dict[str, int] = {}

    def code(self, name: str) -> int:
        """Give the code of `name`, a new one if it is new."""
        if name not in self._codes:
            self._codes[name] = len(self.names)
            self.names.append(name)
        return self._codes[name]

    def codes(self, column: pa.Array, piece: Piece) -> np.ndarray:
        """Give the codes of a column of names, -1 where it has none."""
        encoded = column.dictionary_encode()
        table = np.asarray([*(self.code(name) for name in encoded.dictionary.to_pylist()), -1], np.int64)
        codes = table[encoded.indices.fill_null(len(table) - 1).to_numpy(zero_copy_only=False)]
        unnamed = np.flatnonzero(codes < 0)
        if len(unnamed):
            count, first = self.unnamed
            self.unnamed = (count + len(unnamed), first or piece.where(int(unnamed[0])))
        return codes

    def sorted_codes(self) -> np.ndarray:
        """Give the codes in the order of the names: by value if all are whole numbers, else by text."""
        whole = all(name.isdecimal() for name in self.names)
        key = (lambda code: int(self.names[code])) if whole else self.names.__getitem__
        return np.asarray(sorted(range(len(self.names)), key=key), np.int64)
