"""Measure what the posterior promises on tasks that were left out: errors, intervals and novelty.

Every task of a table is left out once; all that is learned, chosen, scaled and calibrated is from the others.
Finished parts are not measured again. Without internet set TFFS_DATA_MIRROR; Parkinson's is read from
`parkinsons/parkinsons_updrs.data` in that folder, or from `--parkinsons`.

    python -m benchmarks.posterior_bars [--tables=parkinsons,mnist_r]
"""

import argparse
import json
import pathlib
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks import machine
from benchmarks.posterior_bars_report import page
from benchmarks.tables import read
from tffs.data.tasks import TaskRows
from tffs.methods.posterior import FittedPosterior
from tffs.posterior.fitting import fit_posterior, source_of
from tffs.posterior.source import dealt

ROWS = 4  # N_S
SEED = 0
MOST_TEST_ROWS = 400
SHIFT = 5.0  # standard deviations within tasks
FOLDER = pathlib.Path(machine.RESULTS)


class Table(NamedTuple):
    """What is measured on a table.

    Attributes:
        counts: K.
        scaling: what rows are scaled by, from the source tasks alone.
        supports: how many support sets of a left-out task are asked about.
        folds: how many groups tasks are left out in; None for one at a time.
        novelty: the table whose rows are to be told from this one's, or None.
    """

    counts: tuple[int, ...]
    scaling: str
    supports: int
    folds: int | None = None
    novelty: str | None = None


TABLES = {
    "parkinsons": Table((5,), "standard", 5, 5, "isolet"),
    "digits_r": Table((10,), "none", 20, None, "isolet"),
    "mnist_r": Table((10, 30), "none", 5),
    "isolet": Table((10, 30), "none", 5),
    **{f"planted_{seed}": Table((4,), "standard", 1, 6) for seed in range(3)},
}


def measure(name: str, group: int, tasks: list[np.ndarray], other: list[np.ndarray] | None) -> dict[str, Any]:
    """Leave out one group of tasks, and measure on them what was learned from all others."""
    table = TABLES[name]
    groups = dealt(len(tasks), table.folds or len(tasks), SEED)
    source = [task for place, task in enumerate(tasks) if groups[place] != group]
    rows = np.concatenate(source)
    standard = table.scaling == "standard"
    mean, stddev = (rows.mean(axis=0), rows.std(axis=0)) if standard else (np.zeros(1), np.ones(1))
    scaled = [((task - mean) / np.where(stddev > 0.0, stddev, 1.0)).astype(np.float32) for task in tasks]
    source, left = (
        [task for place, task in enumerate(scaled) if (groups[place] == group) == out] for out in (0, 1)
    )
    ends = np.cumsum([len(task) for task in source])
    lists = [np.arange(end - len(task), end) for task, end in zip(source, ends, strict=True)]
    names = tuple(str(place) for place in range(len(source)))
    began = time.perf_counter()
    matrix = np.concatenate(source)
    parts = source_of(matrix, TaskRows.from_lists(names, lists), None, None, SEED)
    fitted = fit_posterior(*parts, table.scaling, max(table.counts), SEED)
    result: dict[str, Any] = {"table": name, "group": group, "recipe": fitted.facts["recipe"]}
    result["seconds"] = time.perf_counter() - began
    model = FittedPosterior(fitted.model, 0.0, {})
    rng = np.random.default_rng([SEED, group])
    result["tasks"] = [_asked(model, task, matrix, table, rng) for task in left]
    if other is not None:
        sets = dict(_unlike(source, left, other, table, rng))
        result["novelty"] = {kind: np.asarray(fitted.model.novelty(one)).tolist() for kind, one in sets.items()}
    return result


def _asked(
    model: FittedPosterior, task: np.ndarray, source: np.ndarray, table: Table, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Ask about one task that was left out, with several supports."""
    found = []
    weights = model.model.weights_of_features.numpy()
    mean, vary = source.mean(axis=0), source.std(axis=0) > 0.0
    pooled = np.cov(source.T)
    for _ in range(table.supports):
        order = rng.permutation(len(task))
        support, rows = task[order[:ROWS]], task[order[ROWS : ROWS + MOST_TEST_ROWS]]
        ranking = model.rank(support)
        by_mean = (weights * np.square(rows - mean)).sum()
        for count in table.counts:
            chosen = np.asarray(ranking.indices)[0, :count]
            values = np.full(rows.shape, np.nan, np.float32)
            values[:, chosen] = rows[:, chosen]
            inferred, variance = model.inferred(support, values)
            inside = np.abs(rows - inferred) <= model.model.calibration.multiple(0.9) * np.sqrt(variance)
            unmeasured = np.isnan(values[0])
            greedy = _greedy(pooled, mean, weights, rows, count)
            found.append(
                {
                    "count": count,
                    "error": float((weights * np.square(rows - inferred)).sum() / by_mean),
                    "expected": float(np.asarray(ranking.errors)[0, count]),
                    "greedy": float((weights * np.square(rows - greedy)).sum() / by_mean),
                    "rows": len(rows),
                    "features": np.flatnonzero(unmeasured & vary).tolist(),
                    "inside": inside[:, unmeasured & vary].sum(axis=0).tolist(),
                    "all_inside": int(inside[:, unmeasured].sum()),
                    "all_cells": int(inside[:, unmeasured].size),
                }
            )
    return found


def _greedy(
    covariance: np.ndarray, mean: np.ndarray, weights: np.ndarray, rows: np.ndarray, count: int
) -> np.ndarray:
    """Answer by the yardstick: greedy choice on the pooled covariance of the source rows, and ridge."""
    left, chosen = covariance.copy(), []
    least = 1e-3 * np.diag(covariance) + 1e-12
    for _ in range(count):
        gains = (weights[:, None] * np.square(left)).sum(axis=0) / (np.diag(left) + least)
        gains[chosen] = -1.0
        best = int(gains.argmax())
        chosen.append(best)
        left = left - np.outer(left[:, best], left[best]) / (left[best, best] + least[best])
    block = covariance[np.ix_(chosen, chosen)] + np.diag(least[chosen])
    answer = mean + (rows[:, chosen] - mean[chosen]) @ np.linalg.solve(block, covariance[chosen])
    answer[:, chosen] = rows[:, chosen]
    return answer


def _unlike(
    source: list[np.ndarray],
    left: list[np.ndarray],
    other: list[np.ndarray],
    table: Table,
    rng: np.random.Generator,
) -> Iterator[tuple[str, np.ndarray]]:
    """Give supports of tasks that were left out, and three kinds that are not like any task."""

    def drawn(task: np.ndarray) -> np.ndarray:
        return task[rng.permutation(len(task))[:ROWS]]

    features = source[0].shape[1]
    usual = [drawn(task) for task in left for _ in range(table.supports)]
    yield "left_out", np.stack(usual)
    yield "shuffled", np.stack([one[:, rng.permutation(features)] for one in usual])
    rows, foreign = np.concatenate(source), np.concatenate(other)
    columns = rng.permutation(max(foreign.shape[1], features))[:features] % foreign.shape[1]
    foreign = foreign[:, columns]
    if table.scaling == "standard":
        foreign = (foreign - foreign.mean(axis=0)) / np.maximum(foreign.std(axis=0), 1e-6)
    else:  # the range of the dataset, as for images
        foreign = (foreign - foreign.min()) / np.ptp(foreign) * np.ptp(rows) + rows.min()
    yield "another_dataset", np.stack([drawn(foreign) for _ in usual]).astype(np.float32)
    within = np.sqrt(np.mean([task.var(axis=0) for task in source], axis=0))
    shifted = []
    for _ in usual:
        one = drawn(source[rng.integers(len(source))])
        feature = rng.choice(np.flatnonzero(within > 0.0))
        one[:, feature] += rng.choice([-1.0, 1.0]) * SHIFT * within[feature]
        shifted.append(one)
    yield "one_shifted", np.stack(shifted)


def main() -> None:
    """Measure what is missing and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--parkinsons", help="parkinsons_updrs.data")
    parser.add_argument("--results", type=pathlib.Path, default=FOLDER / "posterior_bars.jsonl")
    arguments = parser.parse_args()
    path = arguments.results
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {(line["table"], line["group"]) for line in lines}
    for name in arguments.tables.split(","):
        tasks = read(name, arguments.parkinsons)
        beside = TABLES[name].novelty
        other = None if beside is None else read(beside, arguments.parkinsons)
        for group in range(TABLES[name].folds or len(tasks)):
            if (name, group) not in done:
                line = measure(name, group, tasks, other)
                print(f"{name} {group}: {line['recipe']}, {line['seconds']:.1f} s", flush=True)
                lines.append(line)
                with open(path, "a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
    about = machine.describe(("tensorflow", "keras", "numpy"))
    text = "\n".join(
        [*machine.header("Bars of the posterior", "python -m benchmarks.posterior_bars", about), *page(lines)]
    )
    path.with_suffix(".md").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
