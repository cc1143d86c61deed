"""Tasks: one matrix of rows sorted by task, in memory or on the disk, with names and offsets."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # it imports TensorFlow, which planning from the sizes of tasks does not need
    from tffs.data.stored_rows import Rows


@dataclasses.dataclass(frozen=True)
class Tasks:
    """All rows of all tasks.

    Attributes:
        matrix: float32 [rows, features], the rows of task d at `offsets[d]:offsets[d + 1]`.
        feature_names: one name a column.
        task_names: one name a task.
        offsets: int64 [tasks + 1].
        labels: int64 [rows] for evaluation and for learning to predict them, or None.
        class_names: what the labels are called, the name of label i at i; empty where they are only numbers.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> rows = np.zeros((5, 2), "float32")
        >>> tasks = tffs.Tasks(rows, ("height", "weight"), ("a", "b"), offsets=np.array([0, 3, 5]))
        >>> tasks.num_features
        2
        >>> tasks.rows_by_task()
        {'a': array([0, 1, 2]), 'b': array([3, 4])}
    """

    matrix: "Rows"
    feature_names: tuple[str, ...]
    task_names: tuple[str, ...]
    offsets: np.ndarray
    labels: np.ndarray | None = None
    class_names: tuple[str, ...] = ()

    @classmethod
    def of_sizes(
        cls, feature_names: tuple[str, ...], task_names: tuple[str, ...], counts: Sequence[int] | np.ndarray
    ) -> "Tasks":
        """Give tasks of so many rows each, without the rows."""
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(np.empty((0, len(feature_names)), np.float32), feature_names, task_names, offsets)

    @property
    def num_features(self) -> int:
        """The number of features M."""
        return self.matrix.shape[1]

    def rows_by_task(self) -> dict[str, np.ndarray]:
        """Give the row numbers of each task."""
        bounds = zip(self.offsets[:-1], self.offsets[1:], strict=True)
        return {name: np.arange(*bound) for name, bound in zip(self.task_names, bounds, strict=True)}


@dataclasses.dataclass(frozen=True)
class TaskRows:
    """A choice of rows of some tasks, by row number, so that no split copies the matrix.

    Attributes:
        names: the tasks.
        rows: int64 [chosen rows], the rows of task d at `offsets[d]:offsets[d + 1]`.
        offsets: int64 [tasks + 1].

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> chosen = tffs.TaskRows.from_lists(("a", "b"), [np.array([0, 2, 3]), np.array([7, 9])])
        >>> chosen.rows
        array([0, 2, 3, 7, 9])
        >>> chosen.counts, chosen.room(support_size=1)  # the smaller task leaves one query row
        (array([3, 2]), 1)
    """

    names: tuple[str, ...]
    rows: np.ndarray
    offsets: np.ndarray

    @classmethod
    def from_lists(cls, names: tuple[str, ...], rows: list[np.ndarray]) -> "TaskRows":
        """Join one array of row numbers a task."""
        counts = [len(part) for part in rows]
        joined = np.concatenate(rows) if rows else np.zeros(0)
        return cls(names, joined.astype(np.int64), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))

    def room(self, support_size: int) -> int:
        """Give how many query rows the smallest task leaves beside a support set."""
        return int(self.counts.min()) - support_size

    @property
    def counts(self) -> np.ndarray:
        """The number of rows of each task."""
        return np.diff(self.offsets)
