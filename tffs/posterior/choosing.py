"""Choose a recipe by leaving source tasks out: never on the target, and without labels."""

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tffs.models import PosteriorSelector
from tffs.posterior.mixture import possible
from tffs.posterior.recipe import Kitchen, Recipe
from tffs.posterior.source import Source

NUS = (10.0, 100.0, math.inf)
COMPONENTS = (8, 32)
ROWS = 4  # of a support set
COUNTS = (5, 15, 40)  # features that are measured
LEAST_QUESTIONS = 12  # where tasks are few, each is asked about with several support sets
MOST_TASKS = 40  # that are asked about in all; more would tell little more
MOST_ASKED = 300_000  # tasks times features that are asked about: wide tables say as much with fewer tasks
MOST_ROWS = 200  # of a task that errors are measured on
MOST_NUMBERS = 20_000_000  # that are inferred at once
EQUAL = 1.01  # errors that differ by less are equal; then the simpler recipe is taken


@dataclasses.dataclass(frozen=True)
class Questions:
    """Tasks that were left out: what is known of them, and what is to be inferred.

    Attributes:
        tasks: int [questions], which tasks of the source they are about.
        support: float32 [questions, N, features].
        support_mask: bool [questions, N], False where a row only pads.
        rows: float32 [questions, rows, features].
        rows_mask: bool [questions, rows].
    """

    tasks: np.ndarray
    support: np.ndarray
    support_mask: np.ndarray
    rows: np.ndarray
    rows_mask: np.ndarray


@dataclasses.dataclass(frozen=True)
class LeftOut:
    """A group of tasks that was left out.

    Attributes:
        kitchen: makes models of all others.
        group: which group it is.
        questions: about the tasks of the group.
        orders: what was chosen for the questions, by recipe and number of features.
    """

    kitchen: Kitchen
    group: int
    questions: Questions
    orders: dict[tuple[Recipe, int], np.ndarray] = dataclasses.field(default_factory=dict)


def left_out(
    source: Source, watching: tuple[int, ...], weigh: Callable[[Source], np.ndarray], seed: int
) -> list[LeftOut]:
    """Leave out each group in turn, and each group that only watches.

    Args:
        source: the tasks to learn from.
        watching: groups that are not learned from, and only choose.
        weigh: gives how much an error of each feature counts, from the tasks that are not left out.
        seed: of the support sets.
    """
    groups = [*(source.kept if len(source.kept) > 1 else ()), *watching]
    tasks = sum(len(source.tasks_of(group)) for group in groups)
    wanted = min(MOST_TASKS, MOST_ASKED // source.num_features)
    most, draws = max(math.ceil(wanted / max(len(groups), 1)), 1), math.ceil(LEAST_QUESTIONS / max(tasks, 1))
    found = []
    for group in groups:
        large = [task for task in source.tasks_of(group) if source.tasks.counts[task] >= 2]
        if large:
            rest = source.without(group)
            questions = asked(source, np.repeat(large[:most], draws), ROWS, seed)
            found.append(LeftOut(Kitchen(rest, weigh(rest), seed), group, questions))
    return found


def asked(source: Source, tasks: np.ndarray, size: int, seed: int, most: int = MOST_ROWS) -> Questions:
    """Draw a support set of `size` rows, or of half a task's if it has fewer, and at most `most` others."""
    drawn = []
    for draw, task in enumerate(tasks):
        rows = np.random.default_rng([seed, 9, draw, size]).permutation(source.rows_of(task))
        count = min(size, len(rows) // 2)
        drawn.append((rows[:count], np.sort(rows[count : count + most])))
    support, support_mask = _padded(source, [one for one, _ in drawn], size)
    rows, rows_mask = _padded(source, [one for _, one in drawn], max(len(one) for _, one in drawn))
    return Questions(np.asarray(tasks), support, support_mask, rows, rows_mask)


def _padded(source: Source, numbers: list[np.ndarray], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Read rows by their numbers: float32 [lists, size, features], and which are not padding."""
    rows = np.zeros((len(numbers), size, source.num_features), np.float32)
    mask = np.zeros((len(numbers), size), bool)
    for place, one in enumerate(numbers):
        rows[place, : len(one)] = source.matrix[one]
        mask[place, : len(one)] = True
    return rows, mask


def chosen(
    folds: list[LeftOut], bench: "Bench", components: Sequence[int] = COMPONENTS
) -> tuple[Recipe, dict[str, Any]]:
    """Choose the recipe with the least error on tasks that were left out.

    The error is the geometric mean of the relative error over tasks and numbers of measured features. Of
    recipes that are equal, the one with fewer components is taken, and of these the one with nu nearest to 100.

    Returns:
        The recipe, and the errors of all that were tried, for the result.
    """
    best, errors = Recipe(), {}

    def measure(recipe: Recipe) -> None:
        found = np.concatenate([bench.errors(fold, recipe) for fold in folds])
        errors[recipe] = float(np.exp(np.log(np.maximum(found, 1e-12)).mean()))

    if not folds:
        return best, {"recipe": best.facts(), "tried": [], "left_out": 0}
    for nu in NUS:
        measure(Recipe(nu=nu))
    best = min(errors, key=errors.__getitem__)
    measure(dataclasses.replace(best, full=0.0))
    best = min(errors, key=errors.__getitem__)
    for count in components:
        if all(possible(fold.kitchen.source, count) for fold in folds):
            measure(dataclasses.replace(best, components=count))
    equal = [recipe for recipe, error in errors.items() if error <= EQUAL * min(errors.values())]
    winner = min(equal, key=lambda recipe: (recipe.components, -recipe.full, abs(math.log(recipe.nu / 100.0))))
    count = sum(len(np.unique(fold.questions.tasks)) for fold in folds)
    tried = [{**recipe.facts(), "error": error} for recipe, error in errors.items()]
    return winner, {"recipe": winner.facts(), "tried": tried, "left_out": count}


class Bench:
    """Measures recipes; what is traced once serves all recipes and all folds of the same sizes.

    Args:
        features: M.
        counts: numbers of measured features; None for those that recipes are chosen by.
    """

    def __init__(self, features: int, counts: Sequence[int] | None = None) -> None:
        usual = [count for count in COUNTS if 2 * count <= features] or [max(features // 2, 1)]
        self.counts = tuple(counts or usual)
        self._models: dict[tuple, PosteriorSelector] = {}
        self._compiled: dict[tuple, Callable[..., Any]] = {}

    def errors(self, fold: LeftOut, recipe: Recipe) -> np.ndarray:
        """Give relative errors [questions, counts]."""
        asked = fold.questions
        plain = dataclasses.replace(recipe, components=0)  # the decoder does not change what is chosen
        key = (plain, self.counts[-1])
        if key not in fold.orders:
            _, order = self.compiled(fold, plain, _order, self.counts)
            fold.orders[key] = np.asarray(order(asked.support, asked.support_mask))
        _, measure = self.compiled(fold, recipe, _relative_errors, self.counts)
        parts = (asked.support, asked.support_mask, asked.rows, asked.rows_mask, fold.orders[key])
        step = max(MOST_NUMBERS // (len(self.counts) * asked.rows[0].size), 1)
        blocks = [[part[start : start + step] for part in parts] for start in range(0, len(asked.tasks), step)]
        return np.concatenate([np.asarray(measure(*block)) for block in blocks])

    def compiled(
        self, fold: LeftOut, recipe: Recipe, function: Callable[..., Any], counts: Sequence[int]
    ) -> tuple[PosteriorSelector, Callable[..., Any]]:
        """Give the model of a recipe without a fold's tasks, and function(model, counts, ...), compiled.

        There is one model for all recipes and folds of the same sizes: it is good until the next call.
        """
        key = (recipe.components, fold.kitchen.rank(recipe))
        if key not in self._models:
            self._models[key] = fold.kitchen.model(recipe, self.counts[-1])
        model = self._models[key]
        fold.kitchen.teach(model, recipe)
        which = (*key, function, tuple(counts))
        if which not in self._compiled:
            bound = functools.partial(function, model, tuple(counts))
            self._compiled[which] = tf.function(bound, autograph=False, reduce_retracing=True)
        return model, self._compiled[which]


def _order(
    model: PosteriorSelector, counts: Sequence[int], support: tf.Tensor, support_mask: tf.Tensor
) -> tf.Tensor:
    """Give what is chosen for each question: int32 [questions, steps]."""
    return model.first(support, support_mask, counts[-1], looped=True)[0]


def _relative_errors(
    model: PosteriorSelector,
    counts: Sequence[int],
    support: tf.Tensor,
    support_mask: tf.Tensor,
    rows: tf.Tensor,
    rows_mask: tf.Tensor,
    order: tf.Tensor,
) -> tf.Tensor:
    """Give the relative error of each question with so many measured features: [questions, counts]."""
    weights = model.weights_of_features.value
    rows_mask = tf.cast(rows_mask, tf.float32)

    def total(answer: tf.Tensor) -> tf.Tensor:
        squared = tf.math.squared_difference(rows[:, None], answer)
        return tf.reduce_sum(rows_mask[:, None] * tf.reduce_sum(squared * weights, axis=-1), axis=2)

    place = tf.one_hot(order, model.num_features, True, False, dtype=tf.bool)  # [questions, steps, features]
    measured = tf.stack([tf.reduce_any(place[:, :count], axis=1) for count in counts], axis=1)
    values = tf.where(measured[:, :, None], rows[:, None], float("nan"))  # [questions, counts, rows, features]
    shape = tf.shape(values)
    flat = tf.reshape(values, [shape[0], -1, model.num_features])
    inferred = tf.reshape(model.infer(support, flat, support_mask).mean, shape)
    return total(inferred) / tf.maximum(total(model.source_mean.value[None, None, None]), 1e-12)
