"""Measure an exported model on held-out tasks, task by task, over several support sets of each.

What is measured is the answer that a user gets: features that were selected count as they were measured, and
intervals are those that the model gives.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pipelines.columns import LABEL, TASK, natural_order
from pipelines.input_spans import too_few_rows
from pipelines.row_order import as_tasks
from tffs.data.batches import batch_rows
from tffs.data.source_statistics import SourceStatistics
from tffs.data.splits import Split
from tffs.data.tasks import TaskRows, Tasks
from tffs.errors import UserError
from tffs.evaluation.figures import METRICS, Figures
from tffs.evaluation.target import measure_selection
from tffs.layers.scaling import factor_of, filled, scaled
from tffs.serving.exported_model import ExportedModel

INTERVAL = 0.9  # the share of values that intervals are asked to cover
ROUNDING = 1e-6  # of scaled values


def read_raw(files: list[str], feature_names: tuple[str, ...]) -> Tasks:
    """Read rows in raw units from examples with one named float a column; NaN where a value is missing."""
    spec: dict[str, Any] = {
        name: tf.io.FixedLenFeature([], tf.float32, default_value=np.nan) for name in feature_names
    }
    spec[TASK] = tf.io.FixedLenFeature([], tf.string)
    spec[LABEL] = tf.io.FixedLenFeature([], tf.int64, default_value=-1)
    paths = sorted(tf.io.gfile.glob(files))
    records = tf.data.TFRecordDataset(paths, compression_type="GZIP").batch(batch_rows(len(feature_names)))
    rows, tasks, labels = [], [], []
    for batch in records.map(lambda record: tf.io.parse_example(record, spec)):
        rows.append(np.stack([batch[name].numpy() for name in feature_names], axis=1))
        tasks.append(batch[TASK].numpy())
        labels.append(batch[LABEL].numpy())
    if not rows:
        raise UserError("There are no rows of held-out tasks to evaluate on: the split is empty.")
    numbers = np.concatenate(labels)
    known = numbers if (numbers >= 0).all() else None
    return as_tasks(np.concatenate(rows), np.concatenate(tasks), known, feature_names)


class HeldOut:
    """Held-out tasks, and the units that errors are measured in.

    Args:
        tasks: their rows, in raw units.
        statistics: of the source rows.
        scaling: what `Transform` scales by; a model of an earlier run is measured in the same units.
        draws: support sets of each task.
        seed: of the draws.
        support_size: the largest support set of any model; rows beyond it are measured on.
    """

    def __init__(
        self,
        tasks: Tasks,
        statistics: SourceStatistics,
        scaling: str,
        draws: int,
        seed: int,
        support_size: int,
    ) -> None:
        offset, width = statistics.offset_and_width(scaling)
        self._offset, self._factor, self._median = offset, np.asarray(factor_of(width)), statistics.median
        self._varies = statistics.high > statistics.low
        self._tasks = tasks
        self._source_mean = self._scaled(statistics.mean)
        self._draws = draws
        self._seed = seed
        self._support_size = support_size

    def figures(self, model: ExportedModel) -> dict[str, dict[str, Any]]:
        """Measure a model: by task the mean of each metric over the draws, and what was chosen how often.

        `coverage` is the share of inferred values that lie in their 90 % intervals; None for a model that gives
        none, and where nothing is inferred.
        """
        found: dict[str, dict[str, Any]] = {}
        for number, (name, rows) in enumerate(self._tasks.rows_by_task().items()):
            size = self._support_size
            if len(rows) <= size:
                raise UserError(too_few_rows(name, len(rows), size))
            drawn = [
                self._measured(model, np.random.default_rng([self._seed, number, draw]).permutation(rows))
                for draw in range(self._draws)
            ]
            figures, covered = zip(*drawn, strict=True)
            found[name] = {
                "rows": len(rows),
                **{metric: _mean([getattr(one, metric) for one in figures]) for metric in METRICS},
                "coverage": _mean(covered),
            }
            chosen = np.unique(
                [feature for one in figures for feature in set(one.selected)], return_counts=True
            )
            often = sorted(zip(*(part.tolist() for part in chosen), strict=True), key=lambda pair: -pair[1])
            found[name]["chosen"] = {self._tasks.feature_names[i]: count for i, count in often}
        return {name: found[name] for name in natural_order(found)}

    def _measured(self, model: ExportedModel, order: np.ndarray) -> tuple[Figures, float | None]:
        """Measure on the rows of a task in an order; the first of them are the support set."""
        matrix, size = self._tasks.matrix[order], self._support_size
        known = matrix if model.description.missing == "median" else self._filled(matrix)
        support, rows = known[: model.description.support_size], known[size:]
        selected = model.select(support)["index"].to_numpy()
        within = np.full(rows.shape, np.nan)  # whether a value that was inferred is in its interval
        done = 0

        def answer(batch: np.ndarray) -> np.ndarray:
            nonlocal done
            here = slice(done, done + len(batch))
            done = here.stop
            values = _measured(model, rows[here], selected)
            if model.description.intervals is None:
                made = self._scaled(model.reconstruct(support, values).to_numpy())
            else:
                answered = model.reconstruct(support, values, interval=INTERVAL)
                made, low, high = (self._scaled(part.to_numpy()) for part in answered)
                within[here] = (low - ROUNDING <= batch) & (batch <= high + ROUNDING)
            made[:, selected] = batch[:, selected]  # as exports do, except those made before 0.6.0
            return made

        labels = None if self._tasks.labels is None else self._tasks.labels[order]
        task = Tasks(
            self._scaled(matrix), self._tasks.feature_names, ("task",), np.array([0, len(order)]), labels
        )
        nobody = TaskRows.from_lists((), [])
        split = Split(nobody, nobody, np.arange(size), np.arange(size, len(order)))
        figures = measure_selection(selected, answer, False, task, split, self._source_mean, self._seed)
        return figures, self._coverage(within, np.isnan(matrix[size:]), selected)

    def _coverage(self, within: np.ndarray, missing: np.ndarray, selected: np.ndarray) -> float | None:
        """Give the share of values within their intervals, of those that are known and were inferred."""
        within[missing] = np.nan
        within[:, selected] = np.nan
        counted = within[:, self._varies]
        return None if np.isnan(counted).all() else float(np.nanmean(counted))

    def _filled(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(filled(rows, self._median))

    def _scaled(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(scaled(self._filled(rows), self._offset, self._factor))


def _measured(model: ExportedModel, rows: np.ndarray, selected: np.ndarray) -> np.ndarray:
    """Give what `reconstruct` takes of rows whose selected features were measured, as the method asks."""
    if not model.description.ranks:
        return rows[:, selected]
    values = np.full_like(rows, np.nan)
    values[:, selected] = rows[:, selected]
    return values


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None
