"""How far the cells lie apart, here and in the paper, and what sets them apart."""

import pandas as pd

from reproduction import paper
from reproduction.comparison import compare_all, whole_splits
from reproduction.names import dataset_name, in_order, method
from reproduction.section import Section, once
from tffs import markdown

PAIR = ("ours", "cae_s")
AXES = {"num_selected": "of means by K", "target_task": "by held-out task", "support_size": "by N_S"}


def spread(grid: pd.DataFrame) -> Section | None:
    """Make the table; None where Ours and CAE-S share fewer than two cells."""
    rows, used = [], [grid[:0]]
    for dataset in in_order(grid["dataset"]):
        comparison = compare_all(grid, dataset, "msre", PAIR)
        if comparison is None or len(comparison.values) < 2:
            continue
        used.append(comparison.used)
        values = whole_splits(comparison.values)
        for name in PAIR:
            printed = paper.MSRE.loc[dataset, name].strip("*").rstrip(")").split("(")[1]
            decimals = comparison.decimals(name)
            parts = [values[name].groupby(axis).mean().std(ddof=0) for axis in AXES]
            figures = [f"{part:.{decimals}f}" for part in (values[name].std(), *parts)]
            rows.append([dataset_name(dataset), method(name).title, str(len(values)), f"*{printed}*", *figures])
    if not rows:
        return None
    columns = ["data", "method", "cells", "paper", "here", *AXES.values()]
    return Section(
        "The spread over cells",
        "Standard deviation of the MSRE over cells, as the paper prints it, and of the means for each K, each "
        "held-out task and each N_S. Where the paper's is larger, its cells differ more: by K, by task, or "
        "from training to training.",
        markdown.table(pd.DataFrame(rows, columns=columns), 2),
        once(used),
    )
