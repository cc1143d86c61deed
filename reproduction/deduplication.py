"""How many different features Ours selects at N_S = 2, beside the paper's counts."""

import pandas as pd

from reproduction import paper
from reproduction.comparison import compare
from reproduction.names import STAND_IN, dataset_name, in_order, joined
from reproduction.section import Section, paper_label
from tffs import markdown
from tffs.markdown import NOTHING

NEAR = 0.05  # a mean count within this share of K is like the paper's


def deduplication(lines: pd.DataFrame) -> Section | None:
    """Make the table of how many of K selected features are different ones."""
    used = _counted(lines)
    if used.empty:
        return None
    means = used.pivot_table("distinct", "dataset", "num_selected")
    means = means.reindex(columns=sorted({*means, *paper.NUM_SELECTED}))
    rows = []
    for dataset in in_order(means.index):
        splits = used[used["dataset"] == dataset].groupby("num_selected")["split"].nunique()
        figures = [NOTHING if pd.isna(mean) else f"{mean:.1f}" for mean in means.loc[dataset]]
        rows.append([dataset_name(dataset), " to ".join(map(str, sorted({*splits}))), *figures])
        original = STAND_IN.get(dataset, dataset)
        if original in paper.DISTINCT.index:
            printed = paper.DISTINCT.loc[original].reindex(means.columns, fill_value=NOTHING)
            rows.append([paper_label(dataset), str(paper.SPLITS), *printed])
    return Section(
        "Deduplication",
        "Mean number of different features among the K that Ours selects, at N_S = 2.",
        markdown.table(pd.DataFrame(rows, columns=["data", "splits", *(f"K={size}" for size in means)])),
        used,
    )


def other_counts(lines: pd.DataFrame) -> str:
    """Say where Ours selects more or fewer different features than in the paper."""
    means = _counted(lines).groupby(["dataset", "num_selected"])["distinct"].mean()
    printed = paper.DISTINCT.map(paper.mean).stack()
    both = pd.DataFrame({"here": means, "paper": printed}).dropna()
    far = both[(both["here"] - both["paper"]).abs() > NEAR * both.index.get_level_values(1)]
    places = [
        f"{dataset_name(dataset)} at K = {size} ({row['here']:.1f}; paper {row['paper']:.1f})"
        for (dataset, size), row in far.iterrows()
    ]
    return (
        "At N_S = 2, Ours selects about as many different features as in the paper "
        f"(within {100 * NEAR:.0f} % of K) in {len(both) - len(far)} of {len(both)} cases"
        f"{f', and not on {joined(places)}' if places else ''}."
    )


def _counted(lines: pd.DataFrame) -> pd.DataFrame:
    """Take the lines that count."""
    here = lines[lines["support_size"] == 2]
    found = (compare(here, dataset, "distinct", ["ours"]) for dataset in here["dataset"].unique())
    return pd.concat([here[:0], *(comparison.used for comparison in found)])
