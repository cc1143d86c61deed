"""A table of the page: which methods it compares, and how it is made from the lines."""

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from reproduction import paper
from reproduction.comparison import Comparison, compare, in_papers_grid
from reproduction.names import METRICS, PAPER, STAND_IN, dataset_name, in_order, joined, method
from tffs import markdown
from tffs.markdown import NOTHING

COLUMNS = ("data", "metric", "N_S", "K", "splits", "cells")


@dataclasses.dataclass(frozen=True)
class Table:
    """A comparison of methods, as data.

    Attributes:
        title: of the table.
        about: what it shows.
        methods: the columns; a dataset has rows where one of those that are not the paper's main methods was
            run, or any if all are.
        metrics: the rows of a dataset.
        beside_paper: whether the paper's figures for each dataset stand beneath ours.
        paper_means: the paper's means over its four datasets, one row a metric.
        num_selected: the only K that is looked at; None for those of the paper's grid.
        by_size: whether each N_S and K has rows of its own.
    """

    title: str
    about: str
    methods: Sequence[str]
    metrics: Sequence[str] = ("msre", "ari", "nmi")
    beside_paper: bool = False
    paper_means: pd.DataFrame | None = None
    num_selected: int | None = None
    by_size: bool = False


class Section(NamedTuple):
    """A table as it stands on the page.

    Attributes:
        title: of the table.
        about: what it shows.
        text: the table in Markdown.
        used: the lines that it rests on.
        notes: what is missing, one sentence each.
    """

    title: str
    about: str
    text: str
    used: pd.DataFrame
    notes: Sequence[str] = ()


def section(lines: pd.DataFrame, table: Table) -> Section | None:
    """Make a table; None where nothing was run for it."""
    subjects = [name for name in table.methods if method(name).role != PAPER] or table.methods
    if table.num_selected is None:
        lines = in_papers_grid(lines)
    else:
        lines = lines[lines["num_selected"] == table.num_selected]
    sizes = ["support_size", "num_selected"]
    comparisons, rows = [], []
    for part in [part for _, part in lines.groupby(sizes)] if table.by_size else [lines]:
        run = part[part["method"].isin(subjects) & part[[*table.metrics]].notna().any(axis=1)]
        for dataset in in_order(run["dataset"]):
            for metric in table.metrics:
                comparison = compare(part, dataset, metric, table.methods)
                if comparison is not None:
                    comparisons.append(comparison)
                    rows += [_row(comparison, table.methods), *_paper_row(comparison, table)]
    if not comparisons:
        return None
    frame = pd.DataFrame(rows + _means(comparisons, table), columns=[*COLUMNS, *map(_title, table.methods)])
    if len(table.metrics) == 1:
        frame = frame.drop(columns="metric")
    used = pd.concat([comparison.used for comparison in comparisons])
    text = markdown.table(frame, min(2, len(table.metrics)))
    return Section(table.title, table.about, text, used[~used.index.duplicated()], incomplete(comparisons))


def incomplete(comparisons: Sequence[Comparison]) -> list[str]:
    """Say which methods have only some of the cells."""
    notes = []
    for comparison in comparisons:
        lacking = comparison.had[comparison.had < comparison.wanted]
        parts = [
            f"{joined(map(_title, names.index))} {'has' if len(names) == 1 else 'have'} {count}"
            for count, names in lacking.groupby(lacking)
        ]
        if parts:
            name = dataset_name(comparison.dataset)
            notes.append(f"{name}: of the {comparison.wanted} cells that some method has, {', '.join(parts)}.")
    return list(dict.fromkeys(notes))


def paper_label(dataset: str) -> str:
    """Label the row with the paper's figures for a dataset, or for the one that it stands in for."""
    return f"*paper's {dataset_name(STAND_IN[dataset])}: other data*" if dataset in STAND_IN else "*paper*"


def _title(name: str) -> str:
    return method(name).title


def _row(comparison: Comparison, methods: Sequence[str]) -> list[str]:
    return [
        dataset_name(comparison.dataset),
        METRICS[comparison.metric].title,
        comparison.sizes("support_size"),
        comparison.sizes("num_selected"),
        str(comparison.splits),
        f"{len(comparison.values)} of {comparison.wanted}",
        *comparison.figures(methods),
    ]


def _paper_row(comparison: Comparison, table: Table) -> list[list[str]]:
    """Write what the paper has for the dataset of a row, if it has the metric and the dataset."""
    printed = paper.MAIN.get(comparison.metric, pd.DataFrame())
    original = STAND_IN.get(comparison.dataset, comparison.dataset)
    if not table.beside_paper or original not in printed.index:
        return []
    figures = printed.loc[original].reindex(table.methods, fill_value=NOTHING)
    sizes = ("2, 4, 6", "10, 20, 30, 40, 50", str(paper.SPLITS), str(paper.CELLS))
    return [[paper_label(comparison.dataset), METRICS[comparison.metric].title, *sizes, *figures]]


def _means(comparisons: Sequence[Comparison], table: Table) -> list[list[str]]:
    """Write our mean over several datasets and the paper's over its four."""
    if table.paper_means is None:
        return []
    rows = []
    for metric, printed in table.paper_means.iterrows():
        means = pd.DataFrame([one.values.mean() for one in comparisons if one.metric == metric])
        title = METRICS[str(metric)].title
        if len(means) > 1:
            figures = means.reindex(columns=table.methods).mean(skipna=False)
            texts = [NOTHING if pd.isna(figure) else f"{figure:z.1f}" for figure in figures]
            rows.append([f"mean of these {len(means)}", title, *[NOTHING] * 4, *texts])
        figures = printed.reindex(table.methods, fill_value=NOTHING)
        sizes = ("2, 4, 6", "10, 20, 30, 40, 50", str(paper.SPLITS), str(paper.CELLS * len(paper.DATASETS)))
        if table.num_selected is not None:
            sizes = (NOTHING, str(table.num_selected), str(paper.SPLITS), NOTHING)
        rows.append(["*paper, mean of its four*", title, *sizes, *figures])
    return rows
