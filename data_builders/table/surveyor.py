"""Gather a survey from the rows of a table, block by block, and from surveys of its parts."""

from collections.abc import Collection, Sequence

import numpy as np

from data_builders.table.equal_features import EqualFeatures
from data_builders.table.names import Names
from data_builders.table.survey import Survey
from data_builders.table.unit import Piece, Place

LARGEST = float(np.finfo(np.float32).max)
LARGEST_WHOLE = 2.0**53  # beyond it every float64 is a whole number
KINDS = ("text", "missing", "infinite")
_NO_TASK = np.iinfo(np.int64).max
_NONE, _MANY = -1, -2  # in place of the code of the only task


class Surveyor:
    """Gathers all of a survey but which features are ids, for which values have to be kept.

    What is gathered of the parts of a table in any order and then merged is what is gathered of the whole.

    Args:
        feature_names: one a feature.

    Attributes:
        rows: rows seen so far.
        tasks: their tasks.
        labels: their labels.
    """

    def __init__(self, feature_names: Sequence[str]) -> None:
        self._names = tuple(feature_names)
        count = len(self._names)
        self.rows = 0
        self._missing, self._infinite, self._text = (np.zeros(count, np.int64) for _ in range(3))
        self._low, self._high = np.full(count, np.inf), np.full(count, -np.inf)
        self._places: dict[tuple[int, str], Place] = {}
        self._whole = np.ones(count, bool)
        self._equal = EqualFeatures(count)
        self.tasks = Names()
        self.labels = Names()
        self._only_task = np.full(count, _NONE)
        self._task_rows, self._complete_rows = np.zeros(0, np.int64), np.zeros(0, np.int64)

    def add(self, piece: Piece) -> tuple[np.ndarray, np.ndarray | None]:
        """Take in a piece, which stands after those before it.

        Returns:
            The codes of the rows' tasks and, where there are any, labels: int64 [rows], -1 for none.
        """
        x = piece.block.x
        rows = x.shape[1]
        self._add_values(piece)
        self._equal.add(x)
        if piece.task is None:
            assert piece.block.task is not None
            tasks = self.tasks.codes(piece.block.task, piece)
        else:
            tasks = np.full(rows, self.tasks.code(piece.task))
        self._make_room()
        label = piece.block.label
        labels = None if label is None else self.labels.codes(label, piece)
        known = tasks >= 0
        there = ~np.isnan(x)
        complete = known & there.all(axis=0) & (True if labels is None else labels >= 0)
        spread = np.broadcast_to(tasks, x.shape)
        first = np.min(spread, axis=1, where=there & known, initial=_NO_TASK)
        last = np.max(spread, axis=1, where=there & known, initial=_NONE)
        self._merge_only_task(np.where(first < last, _MANY, last))
        self._task_rows += np.bincount(tasks[known], minlength=len(self._task_rows))
        self._complete_rows += np.bincount(tasks[complete], minlength=len(self._task_rows))
        self.rows += rows
        return tasks, labels

    def _add_values(self, piece: Piece) -> None:
        x = piece.block.x
        missing, infinite = np.isnan(x), np.abs(x) > LARGEST
        usable = ~(missing | infinite)
        for cells in piece.block.text:
            self._text[cells.feature] += len(cells.rows)
            self._note(cells.feature, "text", piece.place(int(cells.rows[0]), f"'{cells.value}'"))
            missing[cells.feature, cells.rows] = False
        for feature in np.flatnonzero(missing.any(axis=1) & (self._missing == 0)).tolist():
            self._note(feature, "missing", piece.place(int(missing[feature].argmax())))
        for feature in np.flatnonzero(infinite.any(axis=1) & (self._infinite == 0)).tolist():
            row = int(infinite[feature].argmax())
            self._note(feature, "infinite", piece.place(row, str(x[feature, row])))
        self._missing += missing.sum(axis=1)
        self._infinite += infinite.sum(axis=1)
        self._low = np.minimum(self._low, np.min(x, axis=1, where=usable, initial=np.inf))
        self._high = np.maximum(self._high, np.max(x, axis=1, where=usable, initial=-np.inf))
        for feature in np.flatnonzero(self._whole).tolist():
            values = x[feature]
            whole = (values == np.floor(values)) & (np.abs(values) < LARGEST_WHOLE)
            self._whole[feature] = whole.all() and len(np.unique(values)) == len(values)

    def merge(self, other: "Surveyor") -> None:
        """Take in what was gathered of other rows of the table."""
        self.rows += other.rows
        self._missing += other._missing
        self._infinite += other._infinite
        self._text += other._text
        self._low = np.minimum(self._low, other._low)
        self._high = np.maximum(self._high, other._high)
        self._whole &= other._whole
        self._equal.merge(other._equal)
        for (feature, kind), place in other._places.items():
            self._note(feature, kind, place)
        codes = self.tasks.merge(other.tasks)
        self.labels.merge(other.labels)
        self._make_room()
        self._task_rows[codes] += other._task_rows
        self._complete_rows[codes] += other._complete_rows
        only = other._only_task.copy()
        only[only >= 0] = codes[only[only >= 0]]
        self._merge_only_task(only)

    def may_be_ids(self) -> list[int]:
        """Give the features of whole numbers that may be all different, as far as can be told without them."""
        room = (self._high - self._low >= self.rows - 1) | (self.rows == 0)
        return np.flatnonzero(self._whole & room).tolist()

    def survey(self, ids: Collection[int]) -> Survey:
        """Give what was gathered.

        Args:
            ids: those of `may_be_ids` whose values are all different.
        """
        order = self.tasks.sorted_codes()
        nothing = self._low > self._high
        places: dict[str, dict[str, str]] = {}
        for feature, kind in sorted(self._places, key=lambda key: (key[0], KINDS.index(key[1]))):
            places.setdefault(self._names[feature], {})[kind] = self._places[feature, kind].text
        return Survey(
            rows=self.rows,
            feature_names=self._names,
            missing=self._missing,
            infinite=self._infinite,
            text=self._text,
            places=places,
            low=np.where(nothing, np.nan, self._low) + 0.0,  # which zero of -0.0 and 0.0 is less is chance
            high=np.where(nothing, np.nan, self._high) + 0.0,
            like_id=tuple(self._names[feature] for feature in sorted(ids) if self.rows > 1),
            only_task={
                self._names[feature]: self.tasks.names[self._only_task[feature]]
                for feature in np.flatnonzero(self._only_task >= 0).tolist()
            },
            task_names=tuple(self.tasks.names[code] for code in order),
            task_rows=self._task_rows[order],
            complete_rows=self._complete_rows[order],
            without_task=self.tasks.missing(),
            classes=len(self.labels.names),
            without_label=self.labels.missing(),
            identical=tuple(tuple(self._names[feature] for feature in group) for group in self._equal.groups()),
        )

    def rows_by_task(self) -> dict[str, int]:
        """Give how many rows each task has."""
        return dict(zip(self.tasks.names, self._task_rows.tolist(), strict=True))

    def _note(self, feature: int, kind: str, place: Place) -> None:
        noted = self._places.get((feature, kind))
        self._places[feature, kind] = place if noted is None else min(noted, place)

    def _make_room(self) -> None:
        grown = len(self.tasks.names) - len(self._task_rows)
        self._task_rows = np.pad(self._task_rows, (0, grown))
        self._complete_rows = np.pad(self._complete_rows, (0, grown))

    def _merge_only_task(self, other: np.ndarray) -> None:
        mine = self._only_task
        same = (mine == other) | (other == _NONE)
        self._only_task = np.where(same, mine, np.where(mine == _NONE, other, _MANY))
