"""Leave every task out once, and measure models of the others on it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tffs.evaluation.left_out.examiner import Exam, Examiner, TaskFigures
from tffs.methods.catalogue import Pooled, Posterior
from tffs.methods.pooled import order_of
from tffs.methods.posterior import source_of_run
from tffs.planning.setting import Setting
from tffs.posterior.choosing import Bench
from tffs.posterior.fitting import fit_posterior, weights_of
from tffs.posterior.pooled import pooled_model
from tffs.posterior.residual import Attempt, kept_steps, share_left, trained_again
from tffs.posterior.source import Source

OTHER_SUPPORTS = 4  # of a task, to see how stable the choice is
MOST_ROWS = 1000  # of a task that errors are measured on
DOING = "measuring on tasks left out"


def on_left_out_tasks(
    method: Posterior,
    setting: Setting,
    yardsticks: Mapping[str, Pooled],
    counts: tuple[int, ...],
    share: Callable[[str, float], None],
    facts: Mapping[str, Any],
) -> list[TaskFigures]:
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
        The figures in the order of the tasks; none where there is one task.
    """
    source, _ = source_of_run(setting)
    if len(source.kept) < 2:
        return []
    found: dict[str, TaskFigures] = {}
    for figures in _measured(method, setting, yardsticks, counts, source, facts):
        found[figures.exam.name] = figures
        share(DOING, len(found) / len(source.groups))
    return [found[name] for name in source.tasks.names]


def _measured(
    method: Posterior,
    setting: Setting,
    yardsticks: Mapping[str, Pooled],
    counts: tuple[int, ...],
    source: Source,
    facts: Mapping[str, Any],
) -> Iterator[TaskFigures]:
    config = setting.config
    num_selected, seed = config.model.num_selected, config.seed
    assert config.data.scaling is not None
    examiner, bench = Examiner(source.matrix, num_selected, counts), Bench(source.num_features)
    for fold in source.kept:
        rest = source.without(fold)
        weights = weights_of(rest, config.data.scaling)
        fitted = fit_posterior(rest, (), config.data.scaling, num_selected, seed, method.components, bench)
        model = fitted.model
        if kept_steps(facts):
            model = trained_again(model, rest, kept_steps(facts), Attempt("on", config.training, seed))
            model.calibration.shrink(share_left(facts))
        pooled = pooled_model(rest, weights, num_selected)
        orders = {
            name: order_of(yardstick.order, rest, pooled, seed + fold) for name, yardstick in yardsticks.items()
        }
        exams = [
            drawn_exam(
                source.tasks.names[task], source.rows_of(task), config.data.support_size, [seed, 10, task]
            )
            for task in source.tasks_of(fold)
        ]
        yield from examiner.examine(model, exams, weights, rest.row_mean(), pooled, orders)


def drawn_exam(name: str, numbers: np.ndarray, support_size: int, seed: list[int]) -> Exam:
    """Draw supports of a task: of half of its rows where it has less than two supports."""
    rng = np.random.default_rng(seed)
    size = min(support_size, len(numbers) // 2)
    shuffled = rng.permutation(numbers)
    others = [np.sort(rng.choice(numbers, size, replace=False)) for _ in range(OTHER_SUPPORTS if size else 0)]
    return Exam(name, shuffled[:size], others, np.sort(shuffled[size : size + MOST_ROWS]))
