"""Fill the figures into the findings that a person wrote, so that they are those of the lines.

`results/FINDINGS.md` is a Jinja template. It may ask for

    two(first, second, dataset)    two methods on the cells that both have: see `TwoMethods`
    mean(method, dataset)          a method's mean over its cells
    held_out(method, dataset)      in how many of a method's splits each task is held out
    level(method, dataset)         its mean MSRE beside the paper's: see `Level` in level.py

The first two also take `metric=`, MSRE if not given, and `K=`, `N_S=` and `split=`, a number or several.
Without `K=` the cells are those of the paper's grid, with it those of all N_S. Without `split=` the splits are
the first twenty, as many as the paper has. `also=` of `two` names methods that must have the cells, too.
"""

import dataclasses
from collections.abc import Iterable, Sequence

import jinja2
import pandas as pd

from reproduction import paper
from reproduction.comparison import (
    FEWEST_SPLITS,
    Comparison,
    compare,
    compare_all,
    in_papers_grid,
    is_drawn,
)
from reproduction.level import Level, level
from reproduction.names import METRICS, joined
from reproduction.summary import percent_apart
from tffs.errors import UserError

AXES = {"K": "num_selected", "N_S": "support_size", "split": "split"}
Only = int | Iterable[int]


@dataclasses.dataclass(frozen=True)
class TwoMethods:
    """Two methods on the cells that both have, as a sentence needs them.

    Attributes:
        comparison: of the two.
        first: the first method.
        second: the second method.
    """

    comparison: Comparison
    first: str
    second: str

    @property
    def apart(self) -> str:
        """By how many percent the first mean is above or below the second."""
        return percent_apart(*(self.comparison.values[name].mean() for name in (self.first, self.second)))

    @property
    def means(self) -> str:
        """The first mean against the second."""
        return " against ".join(_mean(self.comparison, name) for name in (self.first, self.second))

    @property
    def p(self) -> str:
        """The p-value of the paired t-test over split means, as p = 0.012 or p < 0.001."""
        if self.comparison.split_p_value(self.first, self.second) is None:
            return f"fewer than {FEWEST_SPLITS} splits, no p"
        shown = self.comparison.shown_split_p(self.first, self.second)
        return f"p {shown}" if shown.startswith("<") else f"p = {shown}"

    @property
    def cells(self) -> int:
        """How many cells both have."""
        return len(self.comparison.values)

    @property
    def splits(self) -> int:
        """How many splits these cells are from."""
        return self.comparison.splits

    @property
    def held_out(self) -> str:
        """In how many of these splits each task is held out."""
        return _held_out(self.comparison.values.index.to_frame(index=False))

    @property
    def lower(self) -> int:
        """In how many cells the first is lower."""
        return int((self.comparison.values[self.first] < self.comparison.values[self.second]).sum())


class Figures:
    """What the findings may ask for, of the lines `lines`; for the arguments see above."""

    def __init__(self, lines: pd.DataFrame) -> None:
        self._lines = lines

    def two(
        self,
        first: str,
        second: str,
        dataset: str,
        metric: str = "msre",
        also: Sequence[str] = (),
        **only: Only,
    ) -> TwoMethods:
        """Compare two methods."""
        methods = (first, second, *also)
        comparison = compare_all(self._chosen(metric, only), dataset, metric, list(dict.fromkeys(methods)))
        if comparison is None or first == second:
            raise UserError(f"{joined(methods)} share no cell with {metric} of {dataset}{_sizes(only)}")
        return TwoMethods(comparison, first, second)

    def mean(self, method: str, dataset: str, metric: str = "msre", **only: Only) -> str:
        """Write the mean of a method."""
        comparison = compare(self._chosen(metric, only), dataset, metric, [method])
        if comparison.values.empty:
            raise UserError(f"{method} has no cell with {metric} of {dataset}{_sizes(only)}")
        return _mean(comparison, method)

    def held_out(self, method: str, dataset: str) -> str:
        """Write in how many of a method's splits each task is held out."""
        lines = self._lines[is_drawn(self._lines)]
        here = lines[(lines["method"] == method) & (lines["dataset"] == dataset)]
        if here.empty:
            raise UserError(f"{method} has no cell of {dataset}")
        return _held_out(here)

    def level(self, method: str, dataset: str) -> Level:
        """Compare a method's mean MSRE with the paper's."""
        comparison = compare(self._chosen("msre", {}), dataset, "msre", [method])
        if dataset not in paper.MSRE.index or method not in paper.MSRE or comparison.values.empty:
            raise UserError(f"{method} has no MSRE of {dataset} here and in the paper")
        found = level(comparison.values[method], paper.mean(paper.MSRE.loc[dataset, method]))
        if found is None:
            raise UserError(f"{method} has fewer than {FEWEST_SPLITS} splits of {dataset}")
        return found

    def _chosen(self, metric: str, only: dict[str, Only]) -> pd.DataFrame:
        """Take the lines of some sizes and splits."""
        for name, known in ((metric, [*METRICS]), *((name, [*AXES]) for name in only)):
            if name not in known:
                raise UserError(f"{name} is none of {', '.join(known)}")
        lines = self._lines if "split" in only else self._lines[is_drawn(self._lines)]
        lines = lines if "K" in only else in_papers_grid(lines)
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
        undefined=jinja2.StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    asked = {name: getattr(figures, name) for name in ("two", "mean", "held_out", "level")}
    try:
        return environment.from_string(text).render(asked)
    except jinja2.TemplateSyntaxError as error:
        raise UserError(f"{path}, line {error.lineno}, is no Jinja template: {error}.") from error
    except (jinja2.TemplateError, UserError, TypeError) as error:
        raise UserError(
            f"{path} asks for a figure that there is not: {error}. Run what it names, or change the sentence."
        ) from error


def _printable(value: object) -> object:
    """Let only texts and counts into the page."""
    if isinstance(value, TwoMethods):
        raise UserError(
            f"two('{value.first}', '{value.second}', ...) is none; write .apart or .means behind it"
        )
    if isinstance(value, Level):
        raise UserError("level(...) is none; write .away or .drawn behind it")
    return value


def _held_out(cells: pd.DataFrame) -> str:
    """Count the splits of each held-out task."""
    counts = cells.drop_duplicates("split")["target_task"].value_counts().sort_index()
    return joined(f"{task} in {count}" for task, count in counts.items())


def _mean(comparison: Comparison, name: str) -> str:
    """Write a mean as the tables do; the count of one training has no decimals."""
    mean = comparison.values[name].mean()
    counted = comparison.metric == "distinct" and len(comparison.values) == 1
    return f"{mean:.0f}" if counted else f"{mean:z.{comparison.decimals(name)}f}"


def _sizes(only: dict[str, Only]) -> str:
    return "".join(f", {name} = {wanted}" for name, wanted in only.items())
