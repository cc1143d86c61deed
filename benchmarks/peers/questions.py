"""What every peer is asked: the same source rows, new tasks with 4 rows known, and rows to be reconstructed."""

import dataclasses
import functools
from typing import NamedTuple

import numpy as np

from benchmarks.tables import read
from tffs.config import RunConfig
from tffs.config.run import NO_TARGET, RUN_OPTIONS
from tffs.data.splits import choose_tasks, whole_tasks
from tffs.data.tasks import Tasks
from tffs.methods.catalogue import CONCRETE, POSTERIOR
from tffs.planning.plan import plan
from tffs.planning.setting import Setting, settle_rows
from tffs.posterior.source import dealt

SUPPORT = 4  # N_S
FIGURES = 6  # of an error behind the point
MOST_ROWS = 1000  # of a target that are reconstructed


class Table(NamedTuple):
    """How a table is asked about.

    Attributes:
        counts: K.
        splits: how many there are.
        scaling: learned from the source rows; peers get scaled rows, too, and errors are in scaled units.
        folds: how many groups the tasks are left out in, one a split; None for one target a split, drawn as in
            the project's own comparisons.
        learned: so many tasks, the first ones, are always source tasks; None for none.
        cae_splits: in how many splits the concrete autoencoder is trained, which takes longest.
        cae_counts: for which K; None for all.
        decoder_units: of the concrete autoencoder.
    """

    counts: tuple[int, ...] = (5, 10, 30)
    splits: int = 2
    scaling: str = "none"
    folds: int | None = None
    learned: int | None = None
    cae_splits: int = 2
    cae_counts: tuple[int, ...] | None = None
    decoder_units: tuple[int, ...] = (32, 32)


TABLES = {
    "mnist_r": Table(),
    "isolet": Table(),
    "amazon_reviews": Table(cae_splits=1),
    "parkinsons": Table(counts=(5, 10), splits=5, scaling="standard", folds=5),
    "digits_r": Table(splits=6, folds=6),
    "planted": Table(scaling="standard", learned=50, cae_splits=1),
    "pacs_features": Table(
        splits=1, scaling="minmax", cae_splits=1, cae_counts=(10,), decoder_units=(256, 256)
    ),
}


class Target(NamedTuple):
    """A task that nothing was learned from, in scaled units.

    Attributes:
        name: which one.
        support: float32 [N_S, features].
        rows: float32 [rows, features], others of the same task.
    """

    name: str
    support: np.ndarray
    rows: np.ndarray


@dataclasses.dataclass(frozen=True)
class Question:
    """A split of a table.

    Attributes:
        table: its name in `TABLES`.
        split: its number, and the seed of all draws.
        raw: the source tasks in raw units.
        targets: the others.
        setting: a run of the posterior that learns from all source rows.
    """

    table: str
    split: int
    raw: Tasks
    targets: list[Target]
    setting: Setting

    @functools.cached_property
    def source(self) -> np.ndarray:
        """The rows of all source tasks in scaled units, as every peer gets them: float64 [rows, features]."""
        return np.asarray(self.setting.tasks.matrix, np.float64)

    @functools.cached_property
    def mean(self) -> np.ndarray:
        """The mean of the source rows: [features]."""
        return self.source.mean(axis=0)

    @functools.cached_property
    def groups(self) -> np.ndarray:
        """The number of each source row's task."""
        return np.repeat(np.arange(len(self.raw.task_names)), np.diff(self.raw.offsets))

    def of_mean(self, rows: np.ndarray) -> float:
        """Give the squared error of answering the mean of the source rows."""
        return float(np.square(rows - self.mean).sum())

    def error(self, answer: np.ndarray, rows: np.ndarray, features: np.ndarray) -> float:
        """Give the error of an answer as a share of that of the mean.

        What was measured is returned as measured, whatever a decoder says.
        """
        wrong = np.square(np.asarray(answer, np.float64) - rows)
        wrong[:, features] = 0.0
        return round(float(wrong.sum() / self.of_mean(rows)), FIGURES)


def question(table: str, split: int, most_rows: int = MOST_ROWS) -> Question:
    """Read a table and split it."""
    return divided(table, split, read(f"planted_{split}" if table == "planted" else table), most_rows)


def divided(table: str, split: int, tasks: list[np.ndarray], most_rows: int = MOST_ROWS) -> Question:
    """Split the rows [rows, features] of tasks as those of a table."""
    asked, every = TABLES[table], _joined(tasks)
    left = _left_out(asked, every, split)
    rows = every.rows_by_task()
    raw = _joined([every.matrix[rows[name]] for name in every.task_names if name not in left])
    settled = setting_of(table, raw, split, POSTERIOR)
    targets = []
    for name in left:
        parts = whole_tasks(every, name, SUPPORT, split)
        support, others = parts.target_support, parts.target_test[:most_rows]
        scaled = [np.asarray(settled.scaling(every.matrix[numbers])) for numbers in (support, others)]
        targets.append(Target(name, *scaled))
    return Question(table, split, raw, targets, settled)


def setting_of(table: str, raw: Tasks, seed: int, method: str, **changes: object) -> Setting:
    """Settle a run that learns from all source tasks; the network validates on a fifth of each task's rows."""
    asked = TABLES[table]
    values = {
        **{name: option.default for name, option in RUN_OPTIONS.items()},
        **{"dataset": f"table/{table}", "scaling": asked.scaling, "target_task": NO_TARGET},
        **{"validation": "rows", "support_size": SUPPORT, "method": method, "seed": seed},
        **{"decoder_units": asked.decoder_units, "num_selected": min(asked.counts)},
        **changes,
    }
    own = Tasks(raw.matrix.copy(), raw.feature_names, raw.task_names, raw.offsets)  # it is scaled in place
    return settle_rows(plan(RunConfig.from_flags(values), own, _silent), own, _silent)


def network_setting(asked: Question, count: int, **changes: object) -> Setting:
    """Settle the run of a network that chooses K features of the same rows."""
    return setting_of(asked.table, asked.raw, asked.split, CONCRETE, num_selected=count, **changes)


def _left_out(asked: Table, every: Tasks, split: int) -> list[str]:
    names = every.task_names
    if asked.learned is not None:
        return list(names[asked.learned :])
    if asked.folds is not None:
        return [
            name for name, fold in zip(names, dealt(len(names), asked.folds, 0), strict=True) if fold == split
        ]
    target, _ = choose_tasks(names, None, None, "rows", split)
    assert target is not None
    return [target]


def _joined(tasks: list[np.ndarray]) -> Tasks:
    features = tuple(f"feature {number}" for number in range(tasks[0].shape[1]))
    counts = [len(rows) for rows in tasks]
    names = tuple(str(number) for number in range(len(tasks)))
    matrix = np.concatenate(tasks).astype(np.float32)
    return Tasks(matrix, features, names, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))


def _silent(sentence: str) -> None:
    """Say nothing: notes about the run are for a person who trains it."""
