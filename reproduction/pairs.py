"""Two methods' errors beside each other, pair by pair."""

from collections.abc import Sequence

import pandas as pd

from reproduction import paper
from reproduction.comparison import compare_all, in_papers_grid
from reproduction.names import STAND_IN, dataset_name, in_order, method
from reproduction.section import Section, once
from tffs import markdown
from tffs.markdown import NOTHING


def pairs(lines: pd.DataFrame, compared: Sequence[tuple[str, str]]) -> Section | None:
    """Make the table of how far the first method of each pair is below the second, in MSRE.

    Args:
        lines: all measurements.
        compared: pairs of methods.
    """
    grid, rows, used = in_papers_grid(lines), [], [lines[:0]]
    for first, second in compared:
        for dataset in in_order(lines["dataset"]):
            comparison = compare_all(grid, dataset, "msre", (first, second))
            if comparison is not None:
                one, other = comparison.values[first], comparison.values[second]
                used.append(comparison.used)
                rows.append(
                    {
                        "pair": f"{method(first).title} against {method(second).title}",
                        "data": dataset_name(dataset),
                        "splits": str(comparison.splits),
                        "cells": f"{len(one)} of {comparison.wanted}",
                        **dict(zip(("first", "second"), comparison.figures([first, second]), strict=True)),
                        "gap": gap(one.mean(), other.mean()),
                        "p (cells)": comparison.shown_p(first, second),
                        "p (splits)": comparison.shown_split_p(first, second),
                        "first lower in": f"{(one < other).sum()} of {len(one)}",
                        "paper's gap": _papers_gap(dataset, first, second),
                    }
                )
    if not rows:
        return None
    return Section(
        "Pairs in MSRE",
        "The gap is how far the first method is below the second, in percent of the second: positive is better "
        "for the first. The cells are of the paper's N_S and K.",
        markdown.table(pd.DataFrame(rows), 2),
        once(used),
    )


def gap(first: float, second: float) -> str:
    """Write by how many percent the first error is below the second."""
    return f"{100.0 * (second - first) / second:+z.1f} %"


def _papers_gap(dataset: str, first: str, second: str) -> str:
    """Write the gap in the paper's table, if it has both methods on the dataset or on what it stands in for."""
    original = STAND_IN.get(dataset, dataset)
    if original not in paper.MSRE.index or not {first, second} <= set(paper.MSRE):
        return NOTHING
    printed = gap(*map(paper.mean, paper.MSRE.loc[original, [first, second]]))
    return printed if original == dataset else f"{printed}, {dataset_name(original)}"
