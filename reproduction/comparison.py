"""The rule that every table follows: methods are compared on the cells that all of them have."""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from reproduction import paper
from reproduction.names import METRICS, STAND_IN
from tffs.markdown import NOTHING

LEVEL = 0.05
SAME = 1e-12  # differences that vary less than this share of the values are equal up to rounding
FEWEST = 5  # cells that boldface and a claim need; with fewer the test can hardly tell anything apart
FEWEST_SPLITS = 5  # that a verdict needs: READING.md says why
MOST = 0.8  # of the cells that the method with most has: one with fewer stands apart
OURS = "ours"
SHARED = ["split", "support_size", "num_selected", "seed", "target_task", "steps"]  # by the methods of a cell


@dataclasses.dataclass(frozen=True)
class Comparison:
    """One metric of several methods on one dataset.

    Attributes:
        dataset: its name.
        metric: its name.
        values: the cells that all methods have, a column for each method that has any figure.
        had: how many cells each of these methods has.
        wanted: how many cells at least one of them has.
        used: the lines that the values are from.
    """

    dataset: str
    metric: str
    values: pd.DataFrame
    had: pd.Series
    wanted: int
    used: pd.DataFrame

    @property
    def splits(self) -> int:
        """How many splits the shared cells are from."""
        return self.values.index.unique("split").size

    def sizes(self, axis: str) -> str:
        """List the N_S (`support_size`) or K (`num_selected`) of the shared cells."""
        return ", ".join(map(str, sorted(self.values.index.unique(axis)))) or NOTHING

    @property
    def split_means(self) -> pd.DataFrame:
        """One mean a split and method, over the shared cells. Splits are drawn independently, cells are not."""
        return self.values.groupby("split").mean()

    def best(self) -> set[str]:
        """The methods to print in boldface, as in the paper by the test over cells; none with too few cells."""
        lower_is_better = METRICS[self.metric].lower_is_better
        if lower_is_better is None or len(self.values) < FEWEST or len(self.had) < 2:
            return set()
        means = self.values.mean()
        best = means.idxmin() if lower_is_better else means.idxmax()
        return {name for name in self.values if self.p_value(name, best) >= LEVEL}

    def decimals(self, name: str) -> int:
        """The decimals of a figure: the metric's, and one more for errors that are as small as Amazon's."""
        fixed, least = METRICS[self.metric].decimals, self.values[name].min()
        if fixed is None:
            return 4 if least < 0.1 else 2 if least < 10.0 else 1
        return fixed + int(self.metric.startswith("msre") and self.values.mean().min() < 0.1)

    def p_value(self, first: str, second: str) -> float:
        """The p-value of the paired t-test of two methods over cells, as in the paper."""
        return paired_t_test(self.values[first], self.values[second])

    def split_p_value(self, first: str, second: str) -> float | None:
        """The p-value of the paired t-test over split means; None with too few splits to decide."""
        means = self.split_means
        return paired_t_test(means[first], means[second]) if len(means) >= FEWEST_SPLITS else None

    def figures(self, methods: Sequence[str]) -> list[str]:
        """Write mean(standard deviation) for each method, the best in boldface."""
        best = self.best()
        return [f"**{self._figure(name)}**" if name in best else self._figure(name) for name in methods]

    def shown_p(self, first: str, second: str) -> str:
        """Write the p-value over cells, if there is more than one cell."""
        return _shown(self.p_value(first, second) if len(self.values) > 1 else None)

    def shown_split_p(self, first: str, second: str) -> str:
        """Write the p-value over split means, if there are enough splits."""
        return _shown(self.split_p_value(first, second))

    def _figure(self, name: str) -> str:
        """Write mean(sample standard deviation); only the mean where one value has no deviation."""
        if name not in self.values or self.values.empty:
            return NOTHING
        mean, deviation, decimals = self.values[name].mean(), self.values[name].std(), self.decimals(name)
        return f"{mean:z.{decimals}f}" + ("" if math.isnan(deviation) else f"({deviation:.{decimals}f})")


def compare(lines: pd.DataFrame, dataset: str, metric: str, methods: Sequence[str]) -> Comparison:
    """Find the cells of a dataset that all methods have, and their figures there.

    A method without any figure does not count. A cell is a split, N_S, K, seed and target, trained for the same
    number of steps; of several numbers of steps, the one with the most shared cells is taken, never a mixture.
    """
    here = lines[(lines["dataset"] == dataset) & lines["method"].isin(methods) & lines[metric].notna()]
    cell = here.groupby(SHARED, dropna=False).ngroup()
    wide = here.assign(cell=cell).pivot(index="cell", columns="method", values=metric)
    wide = wide[[name for name in methods if name in wide]]
    cells = here[SHARED].set_axis(cell)[~cell.duplicated().to_numpy()].loc[wide.index]
    shared = wide.notna().all(axis=1)
    counts = cells["steps"][shared if shared.any() else ~shared].value_counts()
    of_steps = cells["steps"] == counts[counts == counts.max()].index.max()
    wide, cells, shared = wide[of_steps], cells[of_steps], shared[of_steps]
    values = wide[shared].set_axis(pd.MultiIndex.from_frame(cells[shared]))
    used = here[cell.isin(wide.index[shared])]
    return Comparison(dataset, metric, values, wide.notna().sum(), len(wide), used)


def compare_all(lines: pd.DataFrame, dataset: str, metric: str, methods: Sequence[str]) -> Comparison | None:
    """Compare methods, or give None where one of them has no figure or where they share no cell."""
    comparison = compare(lines, dataset, metric, methods)
    return comparison if len(comparison.had) == len(methods) and len(comparison.values) else None


def whole_splits(values: pd.DataFrame) -> pd.DataFrame:
    """Take the cells of the N_S and K that most splits have, from the splits that have all of these.

    Means over an unfinished grid would differ by the sizes that a split has not come to yet.
    """
    axes = (values.index.get_level_values(name) for name in ("support_size", "num_selected"))
    sizes = pd.Series(list(zip(*axes, strict=True)))
    splits = values.index.get_level_values("split")
    common = sizes.value_counts()
    kept = sizes.isin(common[common >= splits.nunique() / 2].index).to_numpy()
    if not kept.any():
        return values
    counts = splits[kept].value_counts()
    return values[kept & splits.isin(counts[counts == counts.max()].index)]


def compare_by_reach(
    lines: pd.DataFrame, dataset: str, metric: str, methods: Sequence[str]
) -> list[Comparison]:
    """Compare the methods that were run on most cells, then those on most cells of Ours, and then all methods.

    Returns:
        Those of the three that differ in their methods and have cells; the last alone where no two methods
        were run on most cells.
    """
    everything = compare(lines, dataset, metric, methods)
    found: list[Comparison] = []
    for reach in (everything.had.max(), everything.had.get(OURS, 0)):
        far = everything.had[everything.had >= MOST * reach].index
        if 1 < len(far) < len(everything.had) and len(far) > (len(found[-1].had) if found else 0):
            found.append(compare(lines, dataset, metric, list(far)))
    return [one for one in [*found, everything] if len(one.values)] or [everything]


def beside_ours(found: Sequence[Comparison]) -> Sequence[Comparison]:
    """Take the comparisons from the first that has Ours on: figures side by side must be of the same cells."""
    return found[next((place for place, one in enumerate(found) if OURS in one.values), 0) :]


def in_papers_grid(lines: pd.DataFrame) -> pd.DataFrame:
    """Take the cells that the paper averages over; for a dataset it does not have, all."""
    in_paper = lines["dataset"].replace(STAND_IN).isin(paper.DATASETS)
    inside = lines["support_size"].isin(paper.SUPPORT_SIZES) & lines["num_selected"].isin(paper.NUM_SELECTED)
    return lines[~in_paper | inside]


def is_drawn(lines: pd.DataFrame) -> pd.Series:
    """Tell the lines of the paper's number of splits; later splits are for questions of their own."""
    return lines["split"] < paper.SPLITS


def _shown(p: float | None) -> str:
    return NOTHING if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def paired_t_test(first: pd.Series, second: pd.Series) -> float:
    """Test whether paired values differ in the mean, two-sided.

    Returns:
        The p-value; 1.0 with fewer than two pairs or without any difference, 0.0 where all pairs differ by the
        same amount.
    """
    differences = np.subtract(first, second)
    if differences.size < 2:
        return 1.0
    rounding = SAME * max(np.abs(first).max(), np.abs(second).max())
    if np.ptp(differences) <= rounding:
        return 1.0 if abs(differences.mean()) <= rounding else 0.0
    return float(stats.ttest_rel(first, second).pvalue)
