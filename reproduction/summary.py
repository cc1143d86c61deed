"""The answer first: every method on every dataset beside the paper's figures, in one table."""

from collections.abc import Sequence

import pandas as pd

from reproduction import paper
from reproduction.comparison import Comparison, beside_ours, compare_all, compare_by_reach, in_papers_grid
from reproduction.names import METRICS, STAND_IN, dataset_name, in_order, joined, method
from tffs import markdown
from tffs.markdown import NOTHING

SHOWN = ("posterior", "greedy", "variance", *paper.ARI)
FEWER = "†"
READING = (
    "Before the slash: measured here. Behind it: the paper's, a mean over N_S = 2, 4 and 6 and K = 10, 20, 30, "
    "40 and 50 in 20 splits. The last rows say which K and splits the means here are over. Bold: the best "
    "here, and what a paired t-test does not tell from it."
)
FEWER_CELLS = f" {FEWER}: on fewer cells than the others, those of the tables below."


def summary_table(lines: pd.DataFrame) -> str | None:
    """Write our mean and the paper's for each method, dataset and metric, and how to read them.

    None where there is none of Ours.
    """
    grid = in_papers_grid(lines)
    columns: dict[str, list[str]] = {}
    for dataset in in_order(grid[grid["method"] == "ours"]["dataset"]):
        if dataset not in paper.DATASETS:
            continue
        for metric in paper.MAIN:
            found = beside_ours(compare_by_reach(grid, dataset, metric, SHOWN))
            if len(found[0].values):
                title = f"{dataset_name(dataset)} {METRICS[metric].title.split()[0]}"
                figures = [_figure(name, dataset, metric, found) for name in SHOWN]
                cells = f"{len(found[0].values)} ({found[0].splits})"
                columns[title] = [*figures, found[0].sizes("num_selected"), cells]
    if not columns:
        return None
    titles = [*(method(name).title for name in SHOWN), "*K here*", "*cells (splits) here*"]
    table = markdown.table(pd.DataFrame({"mean here / paper": titles, **columns}))
    return f"{table}\n\n{READING}{FEWER_CELLS if FEWER in table else ''}"


def summary_sentences(lines: pd.DataFrame) -> list[str]:
    """Say how Ours stands to CAE-S, and what the paper does not have to Ours."""
    sentences = []
    for first, second in (("ours", "cae_s"), ("posterior", "ours"), ("posterior", "greedy")):
        places = []
        for dataset in in_order(lines["dataset"]):
            comparison = compare_all(in_papers_grid(lines), dataset, "msre", (first, second))
            if comparison is not None:
                places.append(_stands(comparison, first, second))
        if places:
            sentences.append(
                f"- **{method(first).title} against {method(second).title}**, MSRE: {joined(places)}."
            )
    return sentences


def _stands(comparison: Comparison, first: str, second: str) -> str:
    """Say by how many percent one error is above or below another, and what the paper has."""
    one, other = comparison.values[first], comparison.values[second]
    printed = ""
    if comparison.dataset in paper.MSRE.index and {first, second} <= set(paper.MSRE):
        means = map(paper.mean, paper.MSRE.loc[comparison.dataset, [first, second]])
        printed = f"; the paper: {percent_apart(*means)}"
    return (
        f"{percent_apart(one.mean(), other.mean())} on {dataset_name(comparison.dataset)} "
        f"(lower in {(one < other).sum()} of {len(one)} cells{printed})"
    )


def percent_apart(first: float, second: float) -> str:
    """Write by how many percent the first error is above or below the second."""
    change = 100.0 * (first - second) / second
    return f"{abs(change):.1f} % {'below' if change < 0 else 'above'}"


def _figure(name: str, dataset: str, metric: str, found: Sequence[Comparison]) -> str:
    """Write a method's mean and the paper's; what rests on fewer cells is marked."""
    holding = [comparison for comparison in found if name in comparison.values and len(comparison.values)]
    here = NOTHING
    if holding:
        decimals = holding[0].decimals(name) - int(metric == "msre" and dataset != "amazon_reviews")
        here = f"{holding[0].values[name].mean():z.{decimals}f}"
        here = f"**{here}**" if holding[0] is found[0] and name in found[0].best() else here
        here += "" if holding[0] is found[0] else FEWER
    printed = paper.MAIN[metric].loc[STAND_IN.get(dataset, dataset)].get(name)
    return here if printed is None else f"{here} / {printed.strip('*').partition('(')[0]}"
