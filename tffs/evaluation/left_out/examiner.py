"""Ask models about tasks that they have not seen, and measure the answers."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tffs.data.stored_rows import Rows
from tffs.evaluation.left_out.asked_model import AskedModel
from tffs.evaluation.left_out.feature_sums import FeatureSums
from tffs.models import PosteriorSelector

BATCH_BYTES = 32 * 2**20
INTERVAL = 1.645  # standard deviations on both sides of the mean, for 90 %
FEW = 50  # a task's extreme rows are at most one in so many
LEAST_ROWS = 20  # of a task in which rows can be called extreme


class Exam(NamedTuple):
    """A task, by row numbers.

    Attributes:
        name: of the task.
        support: what is known of it.
        others: other supports, for which features are chosen, too.
        rows: what is to be inferred.
    """

    name: str
    support: np.ndarray
    others: list[np.ndarray]
    rows: np.ndarray


class FarValue(NamedTuple):
    """A value that was inferred badly; values are in scaled units."""

    row: int
    feature: int
    value: float
    inferred: float


@dataclasses.dataclass(frozen=True)
class TaskFigures:
    """What was measured of one task; errors are squared, weighted and in scaled units.

    Attributes:
        exam: the task.
        order: int [features], as they were ranked.
        others: int [others, K], chosen from other supports.
        novelty: NaN where it is not known.
        expected: [features + 1], the expected errors with 0, 1, ... features, as shares.
        errors: [counts], mean errors of a row with so many measured features.
        nothing_known: the same for what is chosen and inferred without a support.
        yardsticks: the same for other choices, by name.
        by_mean: mean error of answering the source rows' mean.
        covered: [features], the share of values in their 90 % intervals with K features; NaN where measured.
        extreme_share: how much of the error the task's few worst rows make.
        extremes: the worst cell of each of them.
    """

    exam: Exam
    order: np.ndarray
    others: np.ndarray
    novelty: float
    expected: np.ndarray
    errors: np.ndarray
    nothing_known: np.ndarray
    yardsticks: dict[str, np.ndarray]
    by_mean: float
    covered: np.ndarray
    extreme_share: float
    extremes: list[FarValue]

    def relative(self, errors: np.ndarray) -> np.ndarray:
        """Give errors as shares of that of the source rows' mean; NaN where that makes none."""
        return errors / self.by_mean if self.by_mean > 0.0 else np.full_like(errors, np.nan)


class Examined(NamedTuple):
    """What was measured of tasks.

    Attributes:
        tasks: each by itself.
        features: summed over the tasks.
    """

    tasks: list[TaskFigures]
    features: FeatureSums


class Examiner:
    """Measures posteriors and yardsticks on tasks.

    Args:
        matrix: all rows, in scaled units.
        num_selected: K.
        counts: numbers of measured features, K and all features among them.
    """

    def __init__(self, matrix: Rows, num_selected: int, counts: Sequence[int]) -> None:
        self._matrix = matrix
        self._selected = num_selected
        self._counts = tuple(counts)
        self._asked = AskedModel()

    def examine(
        self,
        model: PosteriorSelector,
        exams: Sequence[Exam],
        weights: np.ndarray,
        source_mean: np.ndarray,
        pooled: PosteriorSelector | None = None,
        orders: Mapping[str, np.ndarray] | None = None,
        show: Callable[[float], None] = lambda done: None,
    ) -> Examined:
        """Measure a model on tasks.

        Args:
            model: the posterior.
            exams: the tasks.
            weights: [features], how much a squared error counts.
            source_mean: [features], what errors are compared with.
            pooled: infers for the yardsticks; it must not depend on the support.
            orders: the yardsticks' orders of all features, by name.
            show: is called with the share of the tasks that is done.
        """
        features = self._matrix.shape[1]
        most = max((len(exam.rows) for exam in exams), default=1)
        size = max(BATCH_BYTES // (4 * features * max(features if features <= 2000 else 0, most)), 1)
        of_none = self._order_of_none(model)
        found = Examined([], FeatureSums.none(len(self._counts), features))
        for start in range(0, len(exams), size):
            batch = exams[start : start + size]
            found.tasks.extend(
                self._batch(model, batch, weights, source_mean, pooled, orders or {}, of_none, found.features)
            )
            show(len(found.tasks) / len(exams))
        return found

    def _batch(
        self,
        model: PosteriorSelector,
        exams: Sequence[Exam],
        weights: np.ndarray,
        source_mean: np.ndarray,
        pooled: PosteriorSelector | None,
        orders: Mapping[str, np.ndarray],
        of_none: np.ndarray,
        sums: FeatureSums,
    ) -> list[TaskFigures]:
        support, mask = self._read([exam.support for exam in exams])
        rows, present = self._read([exam.rows for exam in exams])
        ranked = self._asked.rank(model, support, mask)
        others = self._others(model, exams)
        squared_by_mean = np.square(rows - source_mean, dtype=np.float64) * present[..., None]
        errors = np.zeros((len(exams), len(self._counts)))
        squared = inferred = within = np.zeros(0)
        for place, count in enumerate(self._counts):
            values = _measured(rows, ranked.indices[:, :count])
            if count == rows.shape[2]:
                mean, variance = values, np.zeros_like(values)
            else:
                mean, variance = self._asked.infer(model, support, mask, values)
            off = np.square(rows - mean, dtype=np.float64) * present[..., None]
            errors[:, place] = _per_row(off @ weights, present)
            covered = (np.abs(rows - mean) <= INTERVAL * np.sqrt(variance) + 1e-6) & present[..., None]
            sums.add(place, ranked.indices[:, :count], present, off, squared_by_mean, covered)
            if count == self._selected:
                squared, inferred = off, mean
                within = _per_row(covered, present)
                np.put_along_axis(within, ranked.indices[:, :count], np.nan, axis=1)
        nothing_known = self._yardstick(model, of_none, rows, present, weights)
        beside = {
            name: self._yardstick(pooled, order, rows, present, weights)
            for name, order in orders.items()
            if pooled is not None
        }
        by_mean = _per_row(squared_by_mean @ weights, present)
        found = []
        for place, exam in enumerate(exams):
            share, cells = _extremes(exam, rows[place], inferred[place], squared[place] * weights)
            found.append(
                TaskFigures(
                    exam=exam,
                    order=ranked.indices[place],
                    others=others[place],
                    novelty=float(ranked.novelty[place]),
                    expected=ranked.errors[place],
                    errors=errors[place],
                    nothing_known=nothing_known[place],
                    yardsticks={name: measured[place] for name, measured in beside.items()},
                    by_mean=float(by_mean[place]),
                    covered=within[place],
                    extreme_share=share,
                    extremes=cells,
                )
            )
        return found

    def _others(self, model: PosteriorSelector, exams: Sequence[Exam]) -> list[np.ndarray]:
        """Choose K features from the other supports of each task."""
        lists = [numbers for exam in exams for numbers in exam.others]
        if not lists:
            return [np.zeros((0, self._selected), np.int32)] * len(exams)
        chosen = self._asked.select(model, *self._read(lists))
        return np.split(chosen, np.cumsum([len(exam.others) for exam in exams])[:-1])

    def _order_of_none(self, model: PosteriorSelector) -> np.ndarray:
        """Rank all features for a task of which nothing is known: int [features]."""
        nothing = np.zeros((1, 0, self._matrix.shape[1]), np.float32)
        return self._asked.rank(model, nothing, np.zeros((1, 0), bool)).indices[0]

    def _yardstick(
        self,
        model: PosteriorSelector,
        order: np.ndarray,
        rows: np.ndarray,
        present: np.ndarray,
        weights: np.ndarray,
    ) -> np.ndarray:
        """Give the mean errors [tasks, counts] of the first features of an order, without a support."""
        everything = rows.reshape(1, -1, rows.shape[2])
        nothing = np.zeros((1, 0, rows.shape[2]), np.float32)
        errors = np.zeros((len(rows), len(self._counts)))
        for place, count in enumerate(self._counts):
            values = _measured(everything, order[None, :count])
            if count < rows.shape[2]:
                values = self._asked.infer(model, nothing, np.zeros((1, 0), bool), values)[0]
            off = np.square(everything - values, dtype=np.float64) @ weights
            errors[:, place] = _per_row(off.reshape(present.shape) * present, present)
        return errors

    def _read(self, numbers: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Read rows by their numbers: float32 [lists, most, features], and which are not padding."""
        rows = np.zeros((len(numbers), max(map(len, numbers)), self._matrix.shape[1]), np.float32)
        mask = np.zeros(rows.shape[:2], bool)
        for place, one in enumerate(numbers):
            rows[place, : len(one)] = self._matrix[one]
            mask[place, : len(one)] = True
        return rows, mask


def _measured(rows: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Give rows [tasks, rows, features] with NaN except for each task's features [tasks, count]."""
    values = np.full(rows.shape, np.nan, np.float32)
    for task, chosen in enumerate(features):
        values[task][:, chosen] = rows[task][:, chosen]
    return values


def _per_row(errors: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Give the mean over the rows of each task: [tasks], or [tasks, features]."""
    counts = np.maximum(present.sum(axis=1), 1)
    return errors.sum(axis=1) / (counts if errors.ndim == 2 else counts[:, None])


def _extremes(
    exam: Exam, rows: np.ndarray, inferred: np.ndarray, errors: np.ndarray
) -> tuple[float, list[FarValue]]:
    """Give how much of a task's error its few worst rows make, and the worst cell of each."""
    count = len(exam.rows)
    by_row = errors[:count].sum(axis=1)
    if count < LEAST_ROWS or by_row.sum() <= 0.0:
        return 0.0, []
    worst = np.argsort(-by_row, kind="stable")[: max(count // FEW, 1)]
    cells = []
    for row in worst:
        feature = int(errors[row].argmax())
        cells.append(
            FarValue(int(exam.rows[row]), feature, float(rows[row, feature]), float(inferred[row, feature]))
        )
    return float(by_row[worst].sum() / by_row.sum()), cells
