"""Learn what is usual: novelty from source tasks that were left out."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tffs.layers.novelty import BEYOND, KNOTS, LEAST, MOST, QUANTILES, Novelty
from tffs.posterior.choosing import LeftOut
from tffs.posterior.prior import Prior
from tffs.posterior.recipe import Kitchen
from tffs.posterior.source import Source

FEWEST_TASKS = 5  # fewer do not say what is usual
SUPPORTS = 200  # that are drawn for each number of rows
MOST_TASKS = 100  # that they are drawn from
FLOOR = 0.01  # of the mean variance within tasks, added to each: pixels that are constant must not decide
SPREADS = (0.4, 0.6, 0.4)  # of the three numbers, as far as the tasks are too few to tell
PRIOR_TASKS = 20.0  # how many tasks these count for


def learn_novelty(
    layer: Novelty, source: Source, kitchen: Kitchen, folds: Sequence[LeftOut], seed: int
) -> None:
    """Let a layer learn; with fewer than five source tasks it stays without an answer.

    Args:
        layer: of the model of all source tasks.
        source: all source tasks.
        kitchen: of all source tasks.
        folds: groups of them that were left out.
        seed: of the supports.
    """
    if len(source.kept_tasks()) < FEWEST_TASKS:
        return
    rng = np.random.default_rng([seed, 10])
    groups = [source.tasks_of(fold.group) for fold in folds]
    total = sum(len(tasks) for tasks in groups)
    used = min(total, MOST_TASKS)
    numbers: list[list[np.ndarray]] = [[] for _ in KNOTS]
    for fold, tasks in zip(folds, groups, strict=True):
        others = compared_with(fold.kitchen.prior(), fold.kitchen.source)
        tasks = rng.permutation(tasks)[: -(-used * len(tasks) // total)]
        tasks = np.repeat(tasks, -(-SUPPORTS // used))
        for found, size in zip(numbers, KNOTS, strict=True):
            large = tasks[source.tasks.counts[tasks] >= size]
            if len(large):
                drawn = np.concatenate([rng.permutation(source.rows_of(task))[:size] for task in large])
                support = np.asarray(source.matrix[drawn], np.float32).reshape(len(large), size, -1)
                found.append(numbers_of(support, others))
    layer.compare(**compared_with(kitchen.prior(), source))
    layer.learn(*_tables(numbers, used))


def numbers_of(support: np.ndarray, others: dict[str, Any]) -> np.ndarray:
    """Give the logarithms of the three numbers as `Novelty.numbers` does, [tasks, 3], without TensorFlow.

    Args:
        support: float32 [tasks, support, features], at most as many rows as the last knot, without padding.
        others: the arguments of `Novelty.compare`.
    """
    _, size, features = support.shape
    away = support - others["mean"].astype(np.float32)
    residuals = _residuals(away, others["any_task"])
    beyond = (support - np.clip(support, others["low"], others["high"])) / others["stddev"]
    ordered = np.sort(residuals + BEYOND * beyond, axis=1)
    few = -(-size // 4)
    off = np.sort(np.maximum(np.maximum(ordered[:, few - 1], -ordered[:, size - few]), 0.0), axis=1)
    alone = off[:, -1] / (0.5 + off[:, -1 - features // 10])
    everything = np.log1p(np.square(residuals)).mean(axis=(1, 2))
    about = (away - away.mean(axis=1, keepdims=True)) * (size / max(size - 1, 1)) ** 0.5
    together = np.minimum(np.abs(_residuals(about, others["one_task"])), MOST).mean(axis=(1, 2))
    numbers = np.log(LEAST + np.stack([alone, everything, together], axis=1))
    if size < 2:
        numbers[:, 2] = -1e9
    return numbers


def _residuals(rows: np.ndarray, inverse: Sequence[np.ndarray]) -> np.ndarray:
    """Give what each feature is away from what the others make likely, in standard deviations."""
    first, *rest = (part.astype(np.float32) for part in inverse)
    if not rest:
        return rows @ first
    factors, stddev = rest
    return stddev * (first * rows - (rows @ factors) @ factors.T)


def compared_with(prior: Prior, source: Source) -> dict[str, Any]:
    """Give the arguments of `Novelty.compare`."""
    scale, axes, between = (np.asarray(prior.arguments[name]) for name in ("scale", "axes", "between"))
    low, high = source.range()
    result = {"mean": prior.arguments["mean"], "low": low, "high": high}
    if prior.within is not None:
        within = prior.within.copy()
        floor = FLOOR * np.trace(within) / len(within)
        within[np.diag_indices_from(within)] += floor
        axes = scale[:, None] * axes
        stddev = np.sqrt(np.diag(within))
        any_task = within + (axes * between) @ axes.T
        return {**result, "stddev": stddev, "any_task": _inverse(any_task), "one_task": _inverse(within)}
    factors = scale[:, None] * prior.arguments["basis"]
    rest, eye = prior.arguments["rest"], np.eye(len(axes))
    variances = np.square(scale) + np.einsum(
        "mr,rs,ms->m", factors, axes @ axes.T - eye, factors, optimize=True
    )
    floor = FLOOR * variances.mean()
    cores = [(axes * (1.0 + between)) @ axes.T - (1.0 + rest) * eye, axes @ axes.T - eye]
    diagonals = [(1.0 + rest) * np.square(scale) + floor, np.square(scale) + floor]
    any_task, one_task = (
        _factored_inverse(diagonal, factors, core) for diagonal, core in zip(diagonals, cores, strict=True)
    )
    return {**result, "stddev": np.sqrt(variances + floor), "any_task": any_task, "one_task": one_task}


def _inverse(covariance: np.ndarray) -> tuple[np.ndarray]:
    """Give the columns of the inverse P by sqrt(P_jj)."""
    inverse = np.linalg.inv(covariance)
    return (inverse / np.sqrt(np.diag(inverse)),)


def _factored_inverse(
    diagonal: np.ndarray, factors: np.ndarray, core: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the inverse P of diag(d) + U A U^T as d^-1 and F, P = d^-1 - F F^T, and 1 / sqrt(P_jj)."""
    values, axes = np.linalg.eigh(core)
    wide = factors @ (axes * np.sqrt(np.maximum(values, 0.0)))
    inner = np.eye(len(core)) + wide.T @ (wide / diagonal[:, None])
    found = np.linalg.solve(np.linalg.cholesky(inner), (wide / diagonal[:, None]).T).T
    return 1.0 / diagonal, found, 1.0 / np.sqrt(1.0 / diagonal - np.square(found).sum(axis=1))


def _tables(numbers: list[list[np.ndarray]], tasks: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give what is usual for each number of rows; where no task has so many, as for fewer."""
    usual, spread, quantiles = (
        np.zeros((len(KNOTS), 3)),
        np.ones((len(KNOTS), 3)),
        np.zeros((len(KNOTS), QUANTILES)),
    )
    for place, found in enumerate(numbers):
        if not found:
            usual[place], spread[place], quantiles[place] = (
                usual[place - 1],
                spread[place - 1],
                quantiles[place - 1],
            )
            continue
        here = np.concatenate(found)
        usual[place] = np.maximum(np.median(here, axis=0), np.log(LEAST))  # one row has no third number
        seen = np.square(np.quantile(here, 0.9, axis=0) - usual[place])
        spread[place] = np.sqrt((tasks * seen + PRIOR_TASKS * np.square(SPREADS)) / (tasks + PRIOR_TASKS))
        greatest = ((here - usual[place]) / spread[place]).max(axis=1)
        quantiles[place] = np.quantile(greatest, np.arange(1, QUANTILES + 1) / (QUANTILES + 1))
    return usual, spread, quantiles
