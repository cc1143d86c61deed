"""A table of the page: which methods it compares, and how it is made from the lines."""

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from reproduction import paper
from reproduction.comparison import Comparison, compare, compare_by_reach, in_papers_grid
from reproduction.names import METRICS, PAPER, STAND_IN, dataset_name, in_order, joined, method
from tffs import markdown
from tffs.markdown import NOTHING

COLUMNS = ("data", "metric", "N_S", "K", "splits", "cells")
PAPERS_SIZES = tuple(", ".join(map(str, sizes)) for sizes in (paper.SUPPORT_SIZES, paper.NUM_SELECTED))


@dataclasses.dataclass(frozen=True)
class Table:
    """A comparison of methods, as data.

    Attributes:
        title: of the table.
        about: what it shows.
        methods: the columns.
        metrics: the rows of a dataset.
        beside_paper: whether the paper's figures for each dataset stand beneath ours.
        paper_means: the paper's means over its four datasets, one row a metric.
        num_selected: the only K that is looked at; None for those of the paper's grid.
        cell_by_cell: whether each N_S and K has a row of its own before that of all.
        subjects: the methods of which at least one must have been run on a dataset; those that are not in the
            paper's main tables, or all if there are none of them, if not said.
        by_reach: whether methods that were run on few cells stand in a row of their own, with all others.
    """

    title: str
    about: str
    methods: Sequence[str]
    metrics: Sequence[str] = ("msre", "ari", "nmi")
    beside_paper: bool = False
    paper_means: pd.DataFrame | None = None
    num_selected: int | None = None
    cell_by_cell: bool = False
    subjects: Sequence[str] = ()
    by_reach: bool = False

    def cells(self, lines: pd.DataFrame) -> pd.DataFrame:
        """Take the lines of the N_S and K that the table is about."""
        return (
            in_papers_grid(lines)
            if self.num_selected is None
            else lines[lines["num_selected"] == self.num_selected]
        )

    def parts(self, lines: pd.DataFrame) -> list[pd.DataFrame]:
        """Divide the lines of a dataset: a part for each row of a metric."""
        cells = [part for _, part in lines.groupby(["support_size", "num_selected"])]
        return [*(cells if self.cell_by_cell else []), self.cells(lines)]

    def datasets(self, lines: pd.DataFrame) -> list[str]:
        """List the datasets on which one of the subjects was run."""
        subjects = self.subjects or [name for name in self.methods if method(name).role != PAPER]
        cells = self.cells(lines)
        run = cells["method"].isin(subjects or self.methods) & cells[[*self.metrics]].notna().any(axis=1)
        return in_order(cells[run]["dataset"])


class Section(NamedTuple):
    """A table as it stands on the page, with the lines that it rests on and what is missing from it."""

    title: str
    about: str
    table: str
    used: pd.DataFrame
    notes: Sequence[str] = ()


def section(lines: pd.DataFrame, table: Table) -> Section | None:
    """Make a table; None where nothing was run for it."""
    overall, rows, used = [], [], []
    for dataset in table.datasets(lines):
        here = lines[lines["dataset"] == dataset]
        for metric in table.metrics:
            found = [one for part in table.parts(here) for one in _compare(part, dataset, metric, table)]
            found = [one for one in found if len(one.had)]
            rows += [_row(comparison, table) for comparison in found]
            rows += _paper_row(dataset, metric, table) if table.beside_paper and found else []
            used += [comparison.used for comparison in found]
            overall += found[-1:]
    if not rows:
        return None
    titles = [method(name).title for name in table.methods]
    frame = pd.DataFrame(rows + _means(overall, table), columns=[*COLUMNS, *titles])
    if len(table.metrics) == 1:
        frame = frame.drop(columns="metric")
    text = markdown.table(frame, min(2, len(table.metrics)))
    return Section(table.title, table.about, text, once(used), _incomplete(overall))


def once(used: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put lines that tables rest on together, each once."""
    lines = pd.concat(used)
    return lines[~lines.index.duplicated()]


def _compare(part: pd.DataFrame, dataset: str, metric: str, table: Table) -> list[Comparison]:
    if table.by_reach:
        return compare_by_reach(part, dataset, metric, table.methods)
    return [compare(part, dataset, metric, table.methods)]


def paper_label(dataset: str) -> str:
    """Label the row with the paper's figures for a dataset, or for the one that it stands in for."""
    return f"*paper's {dataset_name(STAND_IN[dataset])}: other data*" if dataset in STAND_IN else "*paper*"


def _row(comparison: Comparison, table: Table) -> list[str]:
    return [
        dataset_name(comparison.dataset),
        METRICS[comparison.metric].title,
        *(comparison.sizes("support_size"), comparison.sizes("num_selected")),
        *(str(comparison.splits), f"{len(comparison.values)} of {comparison.wanted}"),
        *comparison.figures(table.methods),
    ]


def _paper_row(dataset: str, metric: str, table: Table) -> list[list[str]]:
    """Write what the paper has, if it has the metric on the dataset."""
    printed = paper.BY_DATASET.get(metric, pd.DataFrame())
    original = STAND_IN.get(dataset, dataset)
    if original not in printed.index:
        return []
    figures = printed.loc[original].reindex(table.methods, fill_value=NOTHING)
    sizes = [*PAPERS_SIZES, str(paper.SPLITS), str(paper.CELLS)]
    if metric not in paper.MAIN:  # the paper does not say what its seconds are of
        sizes = [NOTHING] * len(sizes)
    return [[paper_label(dataset), METRICS[metric].title, *sizes, *figures]]


def _means(overall: Sequence[Comparison], table: Table) -> list[list[str]]:
    """Write our mean over several datasets, and the paper's over its four."""
    rows = []
    for metric, printed in () if table.paper_means is None else table.paper_means.iterrows():
        title = METRICS[str(metric)].title
        means = pd.DataFrame([one.values.mean() for one in overall if one.metric == metric])
        if len(means) > 1:
            figures = means.reindex(columns=table.methods).mean(skipna=False)
            texts = [NOTHING if pd.isna(figure) else f"{figure:z.1f}" for figure in figures]
            rows.append([f"mean of these {len(means)}", title, *[NOTHING] * 4, *texts])
        sizes = (*PAPERS_SIZES, str(paper.SPLITS), str(paper.CELLS * len(paper.DATASETS)))
        if table.num_selected is not None:
            sizes = (NOTHING, str(table.num_selected), str(paper.SPLITS), NOTHING)
        figures = printed.reindex(table.methods, fill_value=NOTHING)
        rows.append(["*paper, mean of its four*", title, *sizes, *figures])
    return rows


def _incomplete(overall: Sequence[Comparison]) -> list[str]:
    """Say which methods have only some of the cells, once a dataset."""
    notes: dict[str, str] = {}
    for comparison in overall:
        lacking = comparison.had[comparison.had < comparison.wanted]
        if len(lacking):
            parts = joined(f"{method(str(name)).title} has {count}" for name, count in lacking.items())
            said = f"{dataset_name(comparison.dataset)}: of {comparison.wanted} cells, {parts}."
            notes.setdefault(comparison.dataset, said)
    return list(notes.values())
