"""Choose a recipe by leaving source tasks out: never on the target, and without labels."""

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tffs.posterior.answers import Answers
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
        orders: what was chosen for the questions, by recipe.
    """

    kitchen: Kitchen
    group: int
    questions: Questions
    orders: dict[Recipe, np.ndarray] = dataclasses.field(default_factory=dict)


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
    folds: list[LeftOut],
    components: Sequence[int] = COMPONENTS,
    show: Callable[[float], None] = lambda done: None,
) -> tuple[Recipe, dict[str, Any]]:
    """Choose the recipe with the least error on tasks that were left out.

    The error is the geometric mean of the relative error over tasks and numbers of measured features. Of
    recipes that are equal, the one with fewer components is taken, and of these the one with nu nearest to 100.

    Args:
        folds: the tasks that were left out.
        components: numbers of components that a mixture may have.
        show: is called with the share that is done.

    Returns:
        The recipe, and the errors of all that were tried, for the result.
    """
    best = Recipe()
    errors: dict[Recipe, float] = {}

    def measure(recipe: Recipe) -> None:
        found = []
        Kitchen.prepare([fold.kitchen for fold in folds], recipe)
        for place, fold in enumerate(folds, start=1):
            found.append(relative_errors(fold, recipe))
            show((len(errors) + place / len(folds)) / (len(NUS) + 1 + len(components)))
        errors[recipe] = float(np.exp(np.log(np.maximum(np.concatenate(found), 1e-12)).mean()))

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


def counts_for(features: int) -> tuple[int, ...]:
    """Give the numbers of measured features that recipes are chosen by."""
    return tuple(count for count in COUNTS if 2 * count <= features) or (max(features // 2, 1),)


def relative_errors(fold: LeftOut, recipe: Recipe) -> np.ndarray:
    """Give the error of each question, as a share of that of the source rows' mean: [questions, counts]."""
    asked, kitchen = fold.questions, fold.kitchen
    counts = counts_for(kitchen.source.num_features)
    answers = Answers(kitchen, recipe, asked.support, asked.support_mask)
    plain = dataclasses.replace(recipe, components=0)  # the decoder does not change what is chosen
    if plain not in fold.orders:
        fold.orders[plain] = answers.first(counts[-1])[0]

    def total(answer: np.ndarray, here: slice) -> np.ndarray:
        errors = np.square(asked.rows[here] - answer) @ kitchen.weights
        return np.where(asked.rows_mask[here], errors, 0.0).sum(axis=1)

    totals = np.zeros((len(asked.tasks), len(counts)))
    for place, count in enumerate(counts):
        for here, answer in answers.means(asked.rows, fold.orders[plain][:, :count]):
            totals[here, place] = total(answer, here)
    by_mean = total(kitchen.source.row_mean(), slice(None))
    return totals / np.maximum(by_mean, 1e-12)[:, None]
