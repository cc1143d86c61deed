"""Fit a posterior to source tasks."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tffs.data.stored_rows import Rows
from tffs.data.tasks import TaskRows
from tffs.models import PosteriorSelector
from tffs.posterior import mixture
from tffs.posterior.calibrating import calibrate
from tffs.posterior.choosing import COMPONENTS, LeftOut, chosen, left_out
from tffs.posterior.novelty import learn_novelty
from tffs.posterior.recipe import Kitchen, Recipe
from tffs.posterior.sketch import PASSES
from tffs.posterior.source import Source, dealt
from tffs.posterior.threads import at_most

OWN_GROUPS = 8  # up to so many tasks are left out one at a time
ONE_THREAD_FEATURES = 512  # up to here NumPy's threads wait for each other longer than they work
CHOOSING, CALIBRATED = 0.8, 0.98  # the share of the time until a recipe is chosen, and until it is calibrated
GROUPS = 5  # more are dealt into so many groups


@dataclasses.dataclass(frozen=True)
class PosteriorFit:
    """A fitted posterior.

    Attributes:
        model: in scaled units.
        facts: what was chosen, and how.
        recipe: what was chosen.
        folds: the tasks that were left out to choose it.
    """

    model: PosteriorSelector
    facts: dict[str, Any]
    recipe: Recipe
    folds: list[LeftOut]


def source_of(
    matrix: Rows, train: TaskRows, validation: TaskRows | None, folds: int | None, seed: int
) -> tuple[Source, tuple[int, ...]]:
    """Group the source tasks.

    Args:
        matrix: all rows, in scaled units.
        train: the rows that are learned from.
        validation: tasks of their own that only choose, or None.
        folds: how many groups to deal the tasks into; None for one each where they are few.
        seed: of the dealing.

    Returns:
        The source, and its groups that only choose.
    """
    count = len(train.names)
    groups = dealt(count, folds or (count if count <= OWN_GROUPS else GROUPS), seed)
    if validation is None:
        return Source.of(matrix, train, groups), ()
    names = train.names + validation.names
    lists = [
        part.rows[part.offsets[task] : part.offsets[task + 1]]
        for part in (train, validation)
        for task in range(len(part.names))
    ]
    watching = int(groups.max()) + 1
    groups = np.concatenate([groups, np.full(len(validation.names), watching)])
    source = Source.of(matrix, TaskRows.from_lists(names, lists), groups)
    return source.without(watching), (watching,)


def weights_of(source: Source, scaling: str, importance: np.ndarray | None = None) -> np.ndarray:
    """Give how much an error of each feature counts: as if rows were scaled by what these tasks alone say.

    Rows are in the units of the run, whose scaling has seen all source tasks.

    Args:
        source: the tasks.
        scaling: what the run's scaling is called.
        importance: how much a scaled feature counts, [features]; None if all count alike.
    """
    important = np.ones(source.num_features) if importance is None else importance
    if scaling == "none":
        return important
    low, high = source.range()
    width = np.square(high - low) if scaling == "minmax" else source.row_variance()
    return np.where(high > low, important / np.where(high > low, width, 1.0), 0.0)


def passes_for(source: Source, components: Sequence[int]) -> int:
    """Give about how many passes over the rows a fit takes, if folds share them."""
    if not source.dense:
        return 1 + 2 * PASSES  # sums; the folds, and all tasks
    mixtures = [mixture.passes_for(source, count) for count in components]
    return 1 + sum(mixtures) + max(mixtures, default=0)


def fit_posterior(
    source: Source,
    watching: Sequence[int],
    scaling: str,
    num_selected: int,
    seed: int,
    components: Sequence[int] = COMPONENTS,
    importance: np.ndarray | None = None,
    show: Callable[[float], None] = lambda done: None,
) -> PosteriorFit:
    """Learn the source tasks' statistics, and choose what they leave open.

    Args:
        source: the tasks to learn from.
        watching: groups of it that are not learned from, and only choose.
        scaling: what the run's scaling is called.
        num_selected: K, how many features `select` gives; nothing else depends on it.
        seed: of all draws.
        components: numbers of components that a mixture may have.
        importance: see `weights_of`.
        show: is called with the share that is done.
    """
    weigh: Callable[[Source], np.ndarray] = lambda rest: weights_of(rest, scaling, importance)  # noqa: E731
    threads = 1 if source.num_features <= ONE_THREAD_FEATURES else None
    with at_most(threads):
        folds = left_out(source, tuple(watching), weigh, seed)
        recipe, facts = chosen(folds, components, lambda done: show(CHOOSING * done))
        kitchen = Kitchen(source, weigh(source), seed)
        model = kitchen.model(recipe, num_selected)
        show(CHOOSING)
        calibrate(model.calibration, source, folds, recipe, seed)
        show(CALIBRATED)
        learn_novelty(model.calibration.novelty, source, kitchen, folds, seed)
    show(1.0)
    return PosteriorFit(model, facts, recipe, folds)
