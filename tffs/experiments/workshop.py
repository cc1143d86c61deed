"""Do cells of the grid: fit methods, measure them, and give one result line a cell."""

import contextlib
import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tffs.config import DataPlace, RunConfig
from tffs.config.run import default_scaling
from tffs.data.datasets import open_dataset
from tffs.data.tasks import Tasks
from tffs.errors import UserError, reason
from tffs.evaluation.target import evaluate_on_target
from tffs.experiments.grid import Cell
from tffs.experiments.lines import failed_line, head
from tffs.experiments.measuring import picture, select_seconds, stability
from tffs.methods.catalogue import METHODS
from tffs.methods.fitted import Fitted
from tffs.planning.plan import named, plan
from tffs.planning.setting import Setting, settle_rows
from tffs.training.programs import Programs
from tffs.training.progress import Watch
from tffs.training.session import Session

KEPT_FITS = 4
# The cell whose reconstructions are kept to be drawn (the paper's figure of MNIST-r).
PICTURED_CELL = {"support_size": 4, "num_selected": 20, "split": 0}
PICTURED_METHODS = ("posterior", "ours", "cae_s", "cae_t", "cae_st")


class Workshop:
    """Does cells on datasets that are loaded when it is made, sharing the fits that cells share.

    Args:
        runs: the run and the place of the rows for each dataset.
        progress: is called with every training step.
    """

    def __init__(self, runs: dict[str, tuple[RunConfig, DataPlace]], progress: Watch) -> None:
        self._progress = progress
        self._runs: dict[str, RunConfig] = {}
        self._tasks: dict[str, Tasks] = {}
        self._fits: dict[tuple, Fitted | Exception] = {}
        self._programs = Programs()
        for name, (config, place) in runs.items():
            dataset = open_dataset(config.data.dataset, place)
            dataset.check(config.data.missing, lambda sentence: None)
            held = dataclasses.replace(place, cache="memory")
            self._tasks[name] = dataset.load(held, config.data.missing)
            self._runs[name] = named(config, dataset.name)

    def result(self, cell: Cell, group: Sequence[Cell] = ()) -> dict[str, Any]:
        """Give the line of a cell; one that fails is a line that says so.

        Args:
            cell: to do.
            group: the cells that will be asked for with it; fits of these may take turns with the cell's.
        """
        try:
            return self._line(cell, group)
        except UserError as error:
            return failed_line(cell, str(error))
        except Exception as error:  # whatever it is, the rest of the grid goes on
            return failed_line(cell, f"{type(error).__name__}: {reason(error)}")

    def setting(self, cell: Cell) -> Setting:
        """Settle the run of a cell; every method of it gets the same split and support."""
        config, tasks = self._runs[cell.dataset], self._tasks[cell.dataset]
        scaling = config.data.scaling or default_scaling(config.data.name.is_table)
        if scaling != "none" or config.data.missing == "median":
            # It is done in place, by each split's own statistics.
            assert isinstance(tasks.matrix, np.ndarray)
            tasks = dataclasses.replace(tasks, matrix=tasks.matrix.copy())
        data = dataclasses.replace(
            config.data, support_size=cell.support_size, target_task=None, validation_task=None, query_size=None
        )
        model = dataclasses.replace(config.model, num_selected=cell.num_selected)
        training = dataclasses.replace(config.training, loss=METHODS[cell.method].loss)
        run = dataclasses.replace(
            config, seed=config.seed + cell.split, data=data, model=model, training=training
        )
        return settle_rows(plan(run, tasks, lambda sentence: None), tasks, lambda sentence: None)

    def fit(self, cell: Cell, setting: Setting, group: Sequence[Cell] = ()) -> Fitted:
        """Fit the method of a cell, or find it fitted for another cell that differs in nothing it sees."""
        key = _what_a_fit_depends_on(cell)
        if key not in self._fits:
            fits = self._fits_of(cell, setting, group)
            while self._fits and len(self._fits) + len(fits) > KEPT_FITS:
                del self._fits[next(iter(self._fits))]
            self._fits.update(fits)
        self._fits[key] = fitted = self._fits.pop(key)  # what was used last is dropped last
        if isinstance(fitted, Exception):
            raise fitted
        return fitted

    def _fits_of(self, cell: Cell, setting: Setting, group: Sequence[Cell]) -> dict[tuple, Fitted | Exception]:
        """Fit the method of a cell, and what takes turns with it."""
        method, key, start = METHODS[cell.method], _what_a_fit_depends_on(cell), None
        if method.starts_from is not None:
            start = self.fit(dataclasses.replace(cell, method=method.starts_from), setting)
        settings = {key: setting}
        if method.takes_turns:
            others = {_what_a_fit_depends_on(other): other for other in group if other.method == cell.method}
            for other_key, other in others.items():
                if other_key != key and other_key not in self._fits:
                    with contextlib.suppress(Exception):  # it fails in its own turn, and says why
                        settings[other_key] = self.setting(other)
        session = Session(self._progress, programs=self._programs)
        if len(settings) == 1:
            return {key: method.fit(setting, session, start)}
        return dict(zip(settings, method.fit_in_turns(list(settings.values()), session), strict=True))

    def _line(self, cell: Cell, group: Sequence[Cell]) -> dict[str, Any]:
        setting = self.setting(cell)
        fitted = self.fit(cell, setting, group)
        method = METHODS[cell.method]
        count = setting.tasks.num_features if method.chooses_all else cell.num_selected
        which, figures = evaluate_on_target(fitted, setting, count)
        if figures.msre is not None and not math.isfinite(figures.msre):
            raise UserError(f"The MSRE on the target is {figures.msre}: lower --learning_rate.")
        names = setting.tasks.feature_names
        pictured = cell.method in PICTURED_METHODS and PICTURED_CELL.items() <= dataclasses.asdict(cell).items()
        return {
            **head(cell),
            "seed": setting.config.seed,
            "target_task": setting.config.data.target_task,
            "validation_task": setting.config.data.validation_task,
            **figures.by_metric(),
            "selected": None if method.chooses_all else [names[feature] for feature in figures.selected],
            "seconds": round(fitted.seconds, 4),
            "status": "ok",
            "error": None,
            "stability": stability(fitted, setting, which, count),
            "best_step": fitted.best_step,
            "steps": setting.config.training.steps,
            "select_seconds": select_seconds(fitted, setting, count),
            "picture": picture(fitted, setting, figures) if pictured else None,
        }


def _what_a_fit_depends_on(cell: Cell) -> tuple:
    differs = (getattr(cell, axis) for axis in METHODS[cell.method].depends_on)
    return cell.dataset, cell.split, cell.method, *differs
