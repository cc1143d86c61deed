"""What would have to be true for the paper's table to be met: gaps by K, by held-out task, and spread."""

import pandas as pd

from reproduction import paper
from reproduction.comparison import Comparison, compare_all, in_papers_grid, is_drawn
from reproduction.held_out_task import by_held_out_task
from reproduction.names import dataset_name, in_order, method
from reproduction.pairs import gap
from reproduction.section import Section, once
from reproduction.spread import spread
from reproduction.undrawn_task import by_undrawn_task
from tffs import markdown
from tffs.markdown import NOTHING

VARIANTS = (
    ("ours", "cae_s"),
    ("ours_wo_r", "cae_s"),
    ("ours_wo_alpha", "cae_s"),
    ("ours_fan_in", "cae_s_fan_in"),
    ("ours_fan_in", "cae_s"),
    ("ours_wo_r_fan_in", "cae_s_fan_in"),
    ("ours_wo_r_fan_in", "cae_s"),
)


def needed(lines: pd.DataFrame) -> list[Section]:
    """Make the tables that there are lines for."""
    grid = in_papers_grid(lines[lines["dataset"].isin(paper.DATASETS)])
    drawn = grid[is_drawn(grid)]
    made = (_by_size(drawn), by_held_out_task(drawn), spread(drawn), by_undrawn_task(grid))
    return [one for one in made if one is not None]


def _by_size(grid: pd.DataFrame) -> Section | None:
    """Compare Ours in each of its variants with CAE-S at each K."""
    rows, used = [], [grid[:0]]
    for dataset in in_order(grid["dataset"]):
        for first, second in VARIANTS:
            comparison = compare_all(grid, dataset, "msre", (first, second))
            if comparison is not None:
                used.append(comparison.used)
                rows.append(_size_row(comparison, first, second))
        rows += [_printed_gap(dataset)] if rows and rows[-1]["data"] == dataset_name(dataset) else []
    if not rows:
        return None
    frame = pd.DataFrame(rows).fillna(NOTHING)
    sizes = sorted((name for name in frame if name.startswith("K=")), key=lambda name: int(name[2:]))
    frame = frame[["data", "pair", "splits", "N_S", "cells", *sizes, "all", "p (cells)", "p (splits)"]]
    return Section(
        "The gap between Ours and CAE-S",
        "By how many percent each variant of Ours is below CAE-S in MSRE: positive is better for Ours. The "
        "paper has Ours below CAE-S on every dataset. It does not print the gap for each K.",
        markdown.table(frame, 2),
        once(used),
    )


def _size_row(comparison: Comparison, first: str, second: str) -> dict[str, str]:
    values = comparison.values
    means = values.groupby("num_selected").mean()
    return {
        "data": dataset_name(comparison.dataset),
        "pair": f"{method(first).title} against {method(second).title}",
        "splits": str(comparison.splits),
        "N_S": comparison.sizes("support_size"),
        "cells": str(len(values)),
        **{f"K={size}": gap(row[first], row[second]) for size, row in means.iterrows()},
        "all": gap(*values[[first, second]].mean()),
        "p (cells)": comparison.shown_p(first, second),
        "p (splits)": comparison.shown_split_p(first, second),
    }


def _printed_gap(dataset: str) -> dict[str, str]:
    means = map(paper.mean, paper.MSRE.loc[dataset, ["ours", "cae_s"]])
    sizes = ", ".join(map(str, paper.SUPPORT_SIZES))
    return {
        "data": "*paper*",
        "splits": str(paper.SPLITS),
        "N_S": sizes,
        "cells": str(paper.CELLS),
        "all": gap(*means),
    }
