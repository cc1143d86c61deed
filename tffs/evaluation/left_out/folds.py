"""Leave every task out once, and measure models of the others on it."""

import concurrent.futures
import dataclasses
import functools
import math
import operator
import os
import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tffs.data.sums import begin
from tffs.evaluation.left_out.examiner import Exam, Examined, Examiner
from tffs.methods.catalogue import Pooled, Posterior
from tffs.methods.pooled import order_of
from tffs.methods.posterior import source_of_run
from tffs.planning.setting import Setting
from tffs.posterior.fitting import ONE_THREAD_FEATURES, fit_posterior, passes_for, weights_of
from tffs.posterior.pooled import pooled_model
from tffs.posterior.residual import Attempt, kept_steps, share_left, trained_again
from tffs.posterior.sketch import PASSES as SKETCH_PASSES
from tffs.posterior.source import Source
from tffs.posterior.threads import at_most

OTHER_SUPPORTS = 4  # of a task, to see how stable the choice is
MOST_ROWS = 1000  # of a task that errors are measured on
SMALL = 50_000  # numbers that are measured in about the second in which a model is traced
FITTED, CORRECTED = (
    0.25,
    0.55,
)  # the share of a fold's time until its model is fitted, and until it is corrected
DOING = "measuring on tasks left out"


def on_left_out_tasks(
    method: Posterior,
    setting: Setting,
    yardsticks: Mapping[str, Pooled],
    counts: tuple[int, ...],
    share: Callable[[str, float], None],
    facts: Mapping[str, Any],
) -> Examined | None:
    """Measure each task with a model of the tasks outside its fold.

    Everything is chosen, weighed and calibrated by these tasks alone. What the fit to all tasks decided is for
    how many steps a residual network is trained, if at all: that costs too much to find out in every fold.

    Args:
        method: what is fitted.
        setting: the run, which holds no task out.
        yardsticks: what is measured beside it, by name.
        counts: numbers of measured features.
        share: is called with what is being done and the share of it that is done.
        facts: of the fit to all tasks.

    Returns:
        The figures in the order of the tasks; None where there is one task.
    """
    source, _ = source_of_run(setting)
    if len(source.kept) < 2:
        return None
    own = passes_for(source, method.components)
    begin(source.matrix, DOING, 1 + len(source.kept) * (own - 1 + (0 if source.dense else SKETCH_PASSES)))
    work = _Work(method, setting, yardsticks, source, facts)
    workers = min(len(os.sched_getaffinity(0)), len(source.kept)) if work.worth_more_cores else 1
    examiners: queue.SimpleQueue[Examiner] = queue.SimpleQueue()
    for _ in range(workers):
        examiners.put(Examiner(source.matrix, setting.config.model.num_selected, counts))
    shares = _Shares(len(source.kept), share)
    # Limits of BLAS threads hold for the whole process: set once here, those that folds set change nothing.
    with (
        at_most(1 if work.one_thread else None),
        concurrent.futures.ThreadPoolExecutor(workers) as pool,
    ):
        folds = [pool.submit(work.measure, fold, examiners, shares.of(fold)) for fold in source.kept]
        try:
            for fold in concurrent.futures.as_completed(folds):
                fold.result()
        finally:
            pool.shutdown(cancel_futures=True)
    share(DOING, 1.0)
    found = [fold.result() for fold in folds]
    by_name = {one.exam.name: one for part in found for one in part.tasks}
    sums = functools.reduce(operator.add, (part.features for part in found))
    return Examined([by_name[name] for name in source.tasks.names], sums)


class _Shares:
    """Adds up how far the folds are, some of which are measured at the same time.

    Args:
        folds: how many there are.
        share: is called with what is being done and the share of it that is done.
    """

    def __init__(self, folds: int, share: Callable[[str, float], None]) -> None:
        self._folds = folds
        self._share = share
        self._done: dict[int, float] = {}
        self._lock = threading.Lock()
        share(DOING, 0.0)

    def of(self, fold: int) -> Callable[[float], None]:
        """Give what is called with the share of a fold that is done."""

        def show(done: float) -> None:
            with self._lock:
                self._done[fold] = done
                # All is done when the figures are here.
                self._share(DOING, min(sum(self._done.values()) / self._folds, 0.99))

        return show


@dataclasses.dataclass(frozen=True)
class _Work:
    """What the folds share; see `on_left_out_tasks`."""

    method: Posterior
    setting: Setting
    yardsticks: Mapping[str, Pooled]
    source: Source
    facts: Mapping[str, Any]

    @property
    def worth_more_cores(self) -> bool:
        """Whether more cores save more time than it takes to trace a model for each of them."""
        return self.one_thread and math.prod(self.source.matrix.shape) > SMALL

    @property
    def one_thread(self) -> bool:
        """Whether a fold keeps one core busy, and no more."""
        return self.source.num_features <= ONE_THREAD_FEATURES

    def measure(
        self, fold: int, examiners: "queue.SimpleQueue[Examiner]", show: Callable[[float], None]
    ) -> Examined:
        """Measure the tasks of a fold with a free examiner: what is traced for one fold serves the next."""
        examiner = examiners.get()
        try:
            return self._measured(fold, examiner, show)
        finally:
            examiners.put(examiner)

    def _measured(self, fold: int, examiner: Examiner, show: Callable[[float], None]) -> Examined:
        config, source, facts = self.setting.config, self.source, self.facts
        num_selected, seed = config.model.num_selected, config.seed
        assert config.data.scaling is not None
        rest = source.without(fold)
        scaling, components = config.data.scaling, self.method.components
        importance = self.setting.feature_weights
        weights = weights_of(rest, scaling, importance)
        fitted = fit_posterior(
            rest,
            (),
            scaling,
            num_selected,
            seed,
            components,
            importance,
            lambda done: show(FITTED * done),
        )
        model = fitted.model
        if kept_steps(facts):
            model = trained_again(model, rest, kept_steps(facts), Attempt("on", config.training, seed))
            model.calibration.shrink(share_left(facts))
        show(CORRECTED)
        pooled = pooled_model(rest, weights, num_selected)
        orders = {
            name: order_of(yardstick.order, rest, pooled, seed + fold)
            for name, yardstick in self.yardsticks.items()
        }
        exams = [
            drawn_exam(
                source.tasks.names[task], source.rows_of(task), config.data.support_size, [seed, 10, task]
            )
            for task in source.tasks_of(fold)
        ]
        return examiner.examine(
            model,
            exams,
            weights,
            rest.row_mean(),
            pooled,
            orders,
            lambda done: show(CORRECTED + (1.0 - CORRECTED) * done),
        )


def drawn_exam(name: str, numbers: np.ndarray, support_size: int, seed: list[int]) -> Exam:
    """Draw supports of a task: of half of its rows where it has less than two supports."""
    rng = np.random.default_rng(seed)
    size = min(support_size, len(numbers) // 2)
    shuffled = rng.permutation(numbers)
    others = [np.sort(rng.choice(numbers, size, replace=False)) for _ in range(OTHER_SUPPORTS if size else 0)]
    return Exam(name, shuffled[:size], others, np.sort(shuffled[size : size + MOST_ROWS]))
