"""The rule that every table follows: methods are compared on the cells that all of them have."""

import collections
import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from tffs.evaluation.statistics import comparable_to_best, mean_and_deviation, paired_t_test
from tffs.tables import paper
from tffs.tables.names import METRICS, STAND_IN
from tffs.tables.records import Result

FEWEST = 5  # cells that a verdict needs; with fewer the test can hardly tell anything apart


class Cell(NamedTuple):
    """What the methods of a comparison share."""

    split: int
    support_size: int
    num_selected: int
    seed: int | None
    target_task: str | None
    steps: int | None


@dataclasses.dataclass(frozen=True)
class Comparison:
    """One metric of several methods on one dataset.

    Attributes:
        dataset: its name.
        metric: its name.
        values: for each method that has any figure, those of the shared cells.
        had: how many cells each of these methods has.
        wanted: how many cells at least one of them has.
        used: the lines that the values are from.
    """

    dataset: str
    metric: str
    values: dict[str, dict[Cell, float]]
    had: dict[str, int]
    wanted: int
    used: tuple[Result, ...]

    @property
    def cells(self) -> list[Cell]:
        """The cells that all methods have."""
        return list(next(iter(self.values.values())))

    @property
    def splits(self) -> int:
        """How many splits the shared cells are from."""
        return len({cell.split for cell in self.cells})

    def figures(self, method: str) -> list[float]:
        """The values of a method, in the order of the cells; none where it has no figure."""
        return [self.values[method][cell] for cell in self.cells] if method in self.values else []

    def mean(self, method: str) -> float:
        """The mean of a method over the shared cells."""
        return mean_and_deviation(self.figures(method))[0]

    def best(self) -> set[str]:
        """The methods to print in boldface; none where there is too little to test."""
        lower_is_better = METRICS[self.metric].lower_is_better
        if lower_is_better is None or len(self.cells) < FEWEST or len(self.values) < 2:
            return set()
        return comparable_to_best(self.values, lower_is_better)

    def p_value(self, first: str, second: str) -> float:
        """The p-value of the paired t-test of two methods."""
        return paired_t_test(self.figures(first), self.figures(second))


def compare(
    results: Iterable[Result],
    dataset: str,
    metric: str,
    methods: Collection[str],
    where: Callable[[Result], bool] = lambda result: True,
) -> Comparison | None:
    """Find the cells of a dataset that all methods have, and their figures there.

    A method without any figure does not count. A cell is a split, N_S, K, seed and target, trained for the same
    number of steps; of several numbers of steps, the one with the most shared cells is taken, never a mixture.

    Returns:
        None where no method has a figure.
    """
    found: dict[str, dict[Cell, Result]] = collections.defaultdict(dict)
    lines = [
        result
        for result in results
        if result.dataset == dataset and result.method in methods and result.ok and where(result)
    ]
    lines = [result for result in lines if getattr(result, metric) is not None]
    if not lines:
        return None
    lengths: set[int | None] = {result.steps for result in lines if result.steps is not None}
    for result in lines:
        for steps in (lengths or {None}) if result.steps is None else {result.steps}:
            cell = Cell(
                result.split, result.support_size, result.num_selected, result.seed, result.target_task, steps
            )
            found[result.method][cell] = result
    shared = set.intersection(*map(set, found.values()))
    length = _most_common(cell.steps for cell in shared or set().union(*found.values()))
    found = {
        method: {cell: result for cell, result in cells.items() if cell.steps == length}
        for method, cells in found.items()
    }
    cells = sorted((cell for cell in shared if cell.steps == length), key=lambda cell: cell[:3])
    ordered = [method for method in methods if method in found]
    return Comparison(
        dataset=dataset,
        metric=metric,
        values={method: {cell: getattr(found[method][cell], metric) for cell in cells} for method in ordered},
        had={method: len(found[method]) for method in ordered},
        wanted=len(set().union(*found.values())),
        used=tuple(found[method][cell] for method in ordered for cell in cells),
    )


def in_papers_grid(result: Result) -> bool:
    """Say whether a cell is one that the paper averages over; for a dataset it does not have, any is."""
    if STAND_IN.get(result.dataset, result.dataset) not in paper.DATASETS:
        return True
    return result.support_size in paper.SUPPORT_SIZES and result.num_selected in paper.NUM_SELECTED


def datasets_of(results: Iterable[Result], methods: Sequence[str], metric: str) -> set[str]:
    """Find the datasets on which at least one of the methods has a figure."""
    return {
        result.dataset
        for result in results
        if result.ok and result.method in methods and getattr(result, metric) is not None
    }


def _most_common(lengths: Iterable[int | None]) -> int | None:
    counts = collections.Counter(lengths)
    return max(counts, key=lambda steps: (counts[steps], steps or 0))
