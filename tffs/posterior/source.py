"""The source tasks as a fit sees them: groups of tasks that can be left out, and sums over their rows.

Every sum is over one group, so that leaving groups out costs no other pass over the rows.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tffs.data.sums import BY_TASK, Arrays, RowSums, Wanted, summed
from tffs.data.tasks import TaskRows

if TYPE_CHECKING:  # it imports TensorFlow
    from tffs.data.stored_rows import Rows

DENSE_FEATURES = 2000  # up to here covariances are full matrices


@dataclasses.dataclass(frozen=True)
class GroupSums:
    """Sums over the rows of one group of tasks, in float64.

    Attributes:
        tasks: int64 [tasks], which tasks the group has.
        counts: int64 [tasks], their rows.
        sums: [tasks, features].
        squares: [features], sums of squares about the source's origin over all rows.
        products: [features, features], sum of (x - origin)(x - origin)^T; None beyond `DENSE_FEATURES`.
        low: [features], the least value.
        high: the greatest.
    """

    tasks: np.ndarray
    counts: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    products: np.ndarray | None
    low: np.ndarray
    high: np.ndarray


@dataclasses.dataclass(frozen=True)
class Source:
    """Tasks to learn from.

    Attributes:
        matrix: all rows, in scaled units.
        tasks: the tasks' rows.
        groups: int [tasks], the group of each task, from 0; groups are left out as a whole.
        kept: the groups that are learned from. Others are left out, or only choose.
        origin: float64 [features], a row. Squares about 0 would lose the digits in which rows differ where
            features lie far from 0.
    """

    matrix: "Rows"
    tasks: TaskRows
    groups: np.ndarray
    kept: tuple[int, ...]
    origin: np.ndarray

    @classmethod
    def of(cls, matrix: "Rows", tasks: TaskRows, groups: np.ndarray) -> "Source":
        """Take all groups, and the rows of each task in order."""
        order = np.lexsort((tasks.rows, np.repeat(np.arange(len(tasks.names)), tasks.counts)))
        tasks = dataclasses.replace(tasks, rows=tasks.rows[order])
        origin = np.asarray(matrix[tasks.rows[:1]], np.float64)[0]
        return cls(matrix, tasks, groups, tuple(np.unique(groups).tolist()), origin)

    def without(self, group: int) -> "Source":
        """Leave a group out; its sums are not computed again."""
        smaller = dataclasses.replace(self, kept=tuple(one for one in self.kept if one != group))
        smaller.__dict__["sums"] = self.sums  # the cached property
        return smaller

    @property
    def num_features(self) -> int:
        """The number of features M."""
        return self.matrix.shape[1]

    @property
    def dense(self) -> bool:
        """Whether covariances are full matrices."""
        return self.num_features <= DENSE_FEATURES

    @functools.cached_property
    def sums(self) -> dict[int, GroupSums]:
        """The sums of every group, computed when they are first asked for, in one pass over the rows."""
        groups = np.unique(self.groups).tolist()
        what = _OfGroup(self.origin, self.dense)
        wanted = [Wanted(what, self.tasks, self.tasks_of(group), by_task=True) for group in groups]
        found = zip(groups, wanted, summed(self.matrix, wanted), strict=True)
        return {
            group: GroupSums(
                tasks=one.chosen,
                counts=self.tasks.counts[one.chosen],
                sums=sums[BY_TASK],
                squares=sums["squares"],
                products=sums.get("products"),
                low=sums["low"],
                high=sums["high"],
            )
            for group, one, sums in found
        }

    def tasks_of(self, group: int) -> np.ndarray:
        """Give the tasks of a group."""
        return np.flatnonzero(self.groups == group)

    def kept_tasks(self) -> np.ndarray:
        """Give the tasks that are not left out."""
        return np.concatenate([self.tasks_of(group) for group in self.kept])

    def rows_of(self, task: int) -> np.ndarray:
        """Give the row numbers of a task, in order."""
        return self.tasks.rows[self.tasks.offsets[task] : self.tasks.offsets[task + 1]]

    def about_means(self, what: RowSums) -> Wanted:
        """Want sums over the rows that are not left out, less their tasks' means."""
        return Wanted(what, self.tasks, self.kept_tasks(), self.means())

    def counts(self) -> np.ndarray:
        """Give the rows of each task that is not left out."""
        return self.tasks.counts[self.kept_tasks()]

    def means(self) -> np.ndarray:
        """Give the mean of each task that is not left out: [tasks, features]."""
        return np.concatenate([self.sums[group].sums for group in self.kept]) / self.counts()[:, None]

    def row_mean(self) -> np.ndarray:
        """Give the mean of all rows: [features]."""
        return self._total(lambda one: one.sums.sum(axis=0)) / self.counts().sum()

    def row_variance(self) -> np.ndarray:
        """Give the variance of all rows: [features]."""
        squares = self._total(lambda one: one.squares) / self.counts().sum()
        return np.maximum(squares - np.square(self.row_mean() - self.origin), 0.0)

    def range(self) -> tuple[np.ndarray, np.ndarray]:
        """Give the least and the greatest value of each feature."""
        low = np.minimum.reduce([self.sums[group].low for group in self.kept])
        return low, np.maximum.reduce([self.sums[group].high for group in self.kept])

    def scatter(self) -> np.ndarray:
        """Give the sum of (x - mean of its task)(...)^T over all rows: [features, features]."""
        return self._total(lambda one: one.products) - self.scatter_of_means()

    def scatter_of_means(self) -> np.ndarray:
        """Give the sum of (mean of its task - origin)(...)^T over all rows: [features, features]."""
        away = self.means() - self.origin
        return (away * self.counts()[:, None]).T @ away

    def scatter_diagonal(self) -> np.ndarray:
        """Give the diagonal of `scatter`: [features]."""
        total = self._total(lambda one: one.squares)
        away = self.means() - self.origin
        return np.maximum(total - (self.counts()[:, None] * np.square(away)).sum(axis=0), 0.0)

    def _total(self, part: Callable[[GroupSums], np.ndarray | None]) -> np.ndarray:
        parts = [part(self.sums[group]) for group in self.kept]
        return np.asarray(sum(one for one in parts if one is not None))


@dataclasses.dataclass(frozen=True)
class _OfGroup:
    """The sums over a group's rows, all but those of each task; squares are about the origin."""

    origin: np.ndarray
    dense: bool
    merged: ClassVar[Mapping[str, np.ufunc]] = dict(
        squares=np.add, products=np.add, low=np.minimum, high=np.maximum
    )

    def zeros(self) -> Arrays:
        width = len(self.origin)
        low, high = np.full(width, np.inf), np.full(width, -np.inf)
        products = {"products": np.zeros((width, width))} if self.dense else {}
        return {"squares": np.zeros(width), **products, "low": low, "high": high}

    def add(self, sums: Arrays, block: np.ndarray) -> None:
        away = block - self.origin
        sums["squares"] += np.einsum("nm,nm->m", away, away)
        if self.dense:
            sums["products"] += away.T @ away
        np.minimum(sums["low"], block.min(axis=0), out=sums["low"])
        np.maximum(sums["high"], block.max(axis=0), out=sums["high"])


def dealt(tasks: int, folds: int, seed: int) -> np.ndarray:
    """Deal tasks into at most `folds` groups of about the same size, at random: int [tasks]."""
    groups = np.arange(tasks) % min(folds, tasks)
    return np.random.default_rng([seed, 7]).permutation(groups)
