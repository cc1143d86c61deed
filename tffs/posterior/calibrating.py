"""Learn from source tasks that were left out what variances and expected errors are worth."""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tffs.layers.calibration import COUNTS, LEVEL, LEVELS, ROWS, Calibration, normal_multiple
from tffs.posterior.answers import Answers
from tffs.posterior.choosing import LeftOut, Questions, asked
from tffs.posterior.recipe import Kitchen, Recipe
from tffs.posterior.source import Source

MOST_TASKS = 40  # that are asked about
LEAST_QUESTIONS = 5  # where tasks are few, each is asked about with several support sets
MOST_NUMBERS = 40_000  # tasks times features that are asked about
MOST_ROWS = 32  # of a task that are inferred
MOST_CELLS = 100_000  # rows times features of a task that are inferred, so that memory stays small
AT_RANDOM = (1, 4, 16)  # features measured at random, so that those that are always chosen are inferred as well
LEAST_MISS = 1e-3  # of the quantiles of misses, where values follow exactly from others
PRIOR_EPISODES = 4.0  # how many episodes say that a feature is like the others


class Episodes(NamedTuple):
    """What was inferred of tasks that were left out, each with `patterns` sets of measured features.

    Attributes:
        rows: N, the place in `ROWS`: int [questions].
        misses: |error| / sqrt(variance), [questions, patterns, rows, features]; NaN where there is none.
        ratios: logarithm of measured by expected error, [questions, patterns that are chosen].
    """

    rows: np.ndarray
    misses: np.ndarray
    ratios: np.ndarray


def calibrate(layer: Calibration, source: Source, folds: Sequence[LeftOut], recipe: Recipe, seed: int) -> None:
    """Let a layer learn; it stays as it is where no task can be left out.

    Args:
        layer: of the model of all source tasks.
        source: all source tasks.
        folds: groups of them that were left out.
        recipe: of the model.
        seed: of the supports.
    """
    found = list(_episodes(source, folds, recipe, seed))
    if not found:
        return
    episodes = Episodes(*(np.concatenate(part) for part in zip(*found, strict=True)))
    if not np.isfinite(episodes.misses).any():  # every feature is constant
        return
    of_features = _of_features(episodes)
    misses = episodes.misses[:, : episodes.ratios.shape[1]] / of_features
    levels = np.maximum(
        _by_knots(episodes.rows, misses, functools.partial(_quantiles, levels=LEVELS)), LEAST_MISS
    )
    at_level = levels[..., LEVELS.index(LEVEL)]
    multiples = normal_multiple(LEVEL) * np.exp(np.median(np.log(levels / at_level[..., None]), axis=(0, 1)))
    layer.learn(
        _by_knots(episodes.rows, episodes.ratios, np.median),
        2.0 * np.log(at_level / normal_multiple(LEVEL)),
        np.square(of_features),
        multiples,
    )


def _of_features(episodes: Episodes) -> np.ndarray:
    """Give what the standard deviation of each feature is multiplied by, whatever N and K are."""
    patterns = episodes.misses.shape[1]
    usual = _by_knots(episodes.rows, episodes.misses, functools.partial(_quantiles, levels=(LEVEL,)), patterns)
    usual = np.maximum(usual, LEAST_MISS).astype(np.float32)
    relative = episodes.misses / usual[episodes.rows, :, None, :]
    features = relative.shape[-1]
    flat = np.ascontiguousarray(relative.reshape(-1, features).T)
    flat.sort(axis=1)  # NaN comes last
    counts = np.isfinite(flat).sum(axis=1)
    place = np.maximum(np.ceil(LEVEL * counts).astype(int) - 1, 0)
    seen = np.where(counts > 0, flat[np.arange(features), place], 1.0)
    asked = np.isfinite(episodes.misses).any(axis=2).sum(axis=(0, 1))
    return np.clip(seen, 0.05, 20.0) ** (asked / (asked + PRIOR_EPISODES))


def _quantiles(values: np.ndarray, levels: Sequence[float]) -> np.ndarray:
    return np.quantile(values, levels)


def _by_knots(
    rows: np.ndarray, values: np.ndarray, what: Callable[[np.ndarray], np.ndarray], patterns: int = len(COUNTS)
) -> np.ndarray:
    """Give something of the values [questions, patterns, ...] at each knot: [rows, patterns, ...].

    A knot that no question is about has what the knot before it has.
    """
    table: list[list[np.ndarray]] = []
    for place in range(len(ROWS)):
        here = values[rows == place]
        if not len(here):
            table.append(table[-1])
            continue
        found: list[np.ndarray] = []
        for pattern in range(patterns):
            one = here[:, pattern] if pattern < here.shape[1] else np.zeros(0)
            one = one[np.isfinite(one)]
            found.append(what(one) if one.size else found[-1])
        table.append(found)
    return np.asarray(table)


def _episodes(source: Source, folds: Sequence[LeftOut], recipe: Recipe, seed: int) -> Iterator[Episodes]:
    """Ask about the tasks of all groups, with support sets of all numbers of rows."""
    features = source.num_features
    groups = [np.unique(fold.questions.tasks) for fold in folds]
    total = sum(len(tasks) for tasks in groups)
    share = min(MOST_TASKS, max(MOST_NUMBERS // features, 1)) / max(total, MOST_TASKS)
    draws = math.ceil(LEAST_QUESTIONS / max(total, 1))
    for fold, tasks in zip(folds, groups, strict=True):
        questions, place = _asked(source, np.repeat(tasks[: math.ceil(share * len(tasks))], draws), seed)
        order = np.random.default_rng([seed, 11, fold.group]).random((len(place), features)).argsort(axis=1)
        yield Episodes(place, *_measured(fold.kitchen, recipe, questions, order.argsort(axis=1)))


def _measured(
    kitchen: Kitchen, recipe: Recipe, questions: Questions, at_random: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Give `misses` and `ratios` of questions, with the chosen features and then with those at random.

    Args:
        kitchen: of the tasks that are not asked about.
        recipe: of the model.
        questions: about the others.
        at_random: int [questions, features], features in random order.
    """
    rows, present, features = questions.rows, questions.rows_mask, questions.rows.shape[2]
    answers = Answers(kitchen, recipe, questions.support, questions.support_mask)
    counts = [count for count in COUNTS if count < features]
    order, expected = answers.first(max(counts[-1], 1))
    patterns = [order[:, :count] for count in counts]
    patterns += [at_random[:, :count] for count in AT_RANDOM if count < features]
    told = present[..., None] & (kitchen.weights > 0.0)  # no weight: constant

    def total(errors: np.ndarray, here: slice = slice(None)) -> np.ndarray:
        return np.where(present[here], np.square(errors) @ kitchen.weights, 0.0).sum(axis=1)

    misses = np.full((len(rows), len(patterns), *rows.shape[1:]), np.nan, np.float32)
    shares = np.zeros((len(rows), len(patterns)))
    for place, measured in enumerate(patterns):
        for here, mean, variance in answers.infer(rows, measured):
            errors = rows[here] - mean
            shares[here, place] = total(errors, here)
            missed = np.where(told[here], np.abs(errors) / np.sqrt(np.maximum(variance, 1e-20)), np.nan)
            np.put_along_axis(missed, measured[here, None], np.nan, axis=2)
            misses[here, place] = missed
    shares = shares[:, : len(counts)] / np.maximum(total(rows - kitchen.source.row_mean()), 1e-12)[:, None]
    return misses, np.log(np.maximum(shares, 1e-12)) - np.log(np.maximum(expected[:, counts], 1e-12))


def _asked(source: Source, tasks: np.ndarray, seed: int) -> tuple[Questions, np.ndarray]:
    """Ask about tasks with supports of as many rows as each knot says, and give the knot of each question."""
    found, places = [], []
    most = min(MOST_ROWS, max(MOST_CELLS // source.num_features, 1))
    for place, size in enumerate(ROWS):
        large = tasks[source.tasks.counts[tasks] >= 2 * size]
        if len(large):
            one = asked(source, large, size, seed, most)
            parts = (
                (one.support, ROWS[-1]),
                (one.support_mask, ROWS[-1]),
                (one.rows, most),
                (one.rows_mask, most),
            )
            found.append([one.tasks, *(_widened(*part) for part in parts)])
            places.append(np.full(len(large), place))
    return Questions(*(np.concatenate(parts) for parts in zip(*found, strict=True))), np.concatenate(places)


def _widened(array: np.ndarray, size: int) -> np.ndarray:
    """Pad the second axis with zeros."""
    return np.pad(array, [(0, 0), (0, size - array.shape[1]), *[(0, 0)] * (array.ndim - 2)])
