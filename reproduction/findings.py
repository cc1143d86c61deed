"""Fill the figures into the findings that a person wrote, so that they are those of the lines.

`results/FINDINGS.md` is a Jinja template. It may ask for

    pair(first, second, dataset)    two methods on the cells that both have: see `Pair`
    mean(method, dataset)           a method's mean over its cells
    held_out(method, dataset)       in how many of a method's splits each task is held out

the first two also with `metric=` (MSRE if not given) and with `K=`, `N_S=` and `split=`, a number or several.
Without `K=`, the cells are those of the paper's grid.
"""

import dataclasses
import re
from collections.abc import Iterable

import jinja2
import pandas as pd

from reproduction.comparison import Comparison, compare, compare_all, in_papers_grid
from reproduction.names import METRICS, joined
from reproduction.summary import change
from tffs.errors import UserError

INDENTED = re.compile(r"\n +(?=[^\s-])")  # lines that go on with a list's entry: figures make them uneven
AXES = {"K": "num_selected", "N_S": "support_size", "split": "split"}


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two methods on the cells that both have, as a sentence needs them.

    Attributes:
        comparison: of the two.
        names: the first method and the second.
    """

    comparison: Comparison
    names: tuple[str, str]

    @property
    def change(self) -> str:
        """By how many percent the first mean is above or below the second."""
        first, second = (self.comparison.values[name].mean() for name in self.names)
        return change(first, second)

    @property
    def means(self) -> tuple[str, str]:
        """The two means."""
        first, second = (_mean(self.comparison, name) for name in self.names)
        return first, second

    @property
    def p(self) -> str:
        """The p-value of the paired t-test, as p = 0.012 or p < 0.001."""
        shown = self.comparison.shown_p(*self.names)
        return f"p {shown}" if shown.startswith("<") else f"p = {shown}"

    @property
    def cells(self) -> int:
        """How many cells both have."""
        return len(self.comparison.values)

    @property
    def lower(self) -> int:
        """In how many cells the first is lower."""
        first, second = (self.comparison.values[name] for name in self.names)
        return int((first < second).sum())


class Figures:
    """What the findings may ask for, of the lines `lines`; for the arguments see above."""

    def __init__(self, lines: pd.DataFrame) -> None:
        self._lines = lines

    def pair(
        self, first: str, second: str, dataset: str, metric: str = "msre", **only: int | Iterable[int]
    ) -> Pair:
        """Compare two methods."""
        comparison = compare_all(self._chosen(only), dataset, metric, (first, second))
        if comparison is None:
            raise UserError(f"{first} and {second} share no cell with {metric} of {dataset} and {only}")
        return Pair(comparison, (first, second))

    def mean(self, method: str, dataset: str, metric: str = "msre", **only: int | Iterable[int]) -> str:
        """Write the mean of a method."""
        comparison = compare(self._chosen(only), dataset, metric, [method])
        if comparison.values.empty:
            raise UserError(f"{method} has no cell with {metric} of {dataset} and {only}")
        return _mean(comparison, method)

    def held_out(self, method: str, dataset: str) -> str:
        """Write in how many of a method's splits each task is held out."""
        here = self._lines[(self._lines["method"] == method) & (self._lines["dataset"] == dataset)]
        counts = here.drop_duplicates("split")["target_task"].value_counts().sort_index()
        return joined(f"{task} in {count}" for task, count in counts.items())

    def _chosen(self, only: dict[str, int | Iterable[int]]) -> pd.DataFrame:
        """Take the lines of some sizes and splits."""
        unknown = sorted(only.keys() - AXES.keys())
        if unknown:
            raise UserError(f"{unknown[0]} is none of {', '.join(AXES)}")
        lines = self._lines if "K" in only else in_papers_grid(self._lines)
        for name, wanted in only.items():
            lines = lines[lines[AXES[name]].isin([wanted] if isinstance(wanted, int) else list(wanted))]
        return lines


def filled(text: str, lines: pd.DataFrame, path: str) -> str:
    """Fill the figures in.

    Args:
        text: the findings.
        lines: all measurements.
        path: where the text is from, for messages.
    """
    figures = Figures(lines)
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    asked = {"pair": figures.pair, "mean": figures.mean, "held_out": figures.held_out}
    try:
        return INDENTED.sub(" ", environment.from_string(text).render(asked))
    except (jinja2.TemplateError, UserError, KeyError, TypeError) as error:
        raise UserError(
            f"{path} asks for a figure that there is not ({error}): run what it names, or change the sentence."
        ) from error


def _mean(comparison: Comparison, name: str) -> str:
    """Write a mean; errors have a decimal less than in tables, and the count of one training has none."""
    mean, decimals = comparison.values[name].mean(), comparison.decimals(name)
    if comparison.metric == "distinct" and len(comparison.values) == 1:
        decimals = 0
    elif METRICS[comparison.metric].decimals == 3 and mean >= 1.0:
        decimals -= 1
    return f"{mean:z.{decimals}f}"
