"""How many different features Ours selects at N_S = 2, beside the paper's counts."""

import pandas as pd

from reproduction import paper
from reproduction.comparison import compare
from reproduction.names import STAND_IN, dataset_name, in_order, joined, method
from reproduction.section import Section, paper_label
from tffs import markdown
from tffs.markdown import NOTHING

METHODS = ("ours", "ours_fan_in", "ours_wo_r", "ours_wo_r_fan_in", "cae_s", "cae_s_fan_in")
NEAR = 0.05  # a mean count within this share of K is like the paper's


def deduplication(lines: pd.DataFrame) -> Section | None:
    """Make the table of how many of K selected features are different ones."""
    used = pd.concat([_counted(lines, name) for name in METHODS])
    if "ours" not in set(used["method"]):
        return None
    means = used.pivot_table("distinct", ["dataset", "method"], "num_selected")
    means = means.reindex(columns=sorted({*means, *paper.NUM_SELECTED}))
    rows = []
    for dataset in in_order(used["dataset"]):
        for name in [name for name in METHODS if (dataset, name) in means.index]:
            here = used[(used["dataset"] == dataset) & (used["method"] == name)]
            splits = sorted({*here.groupby("num_selected")["split"].nunique()})
            figures = [NOTHING if pd.isna(mean) else f"{mean:.1f}" for mean in means.loc[(dataset, name)]]
            ends = " to ".join(map(str, sorted({splits[0], splits[-1]})))
            rows.append([dataset_name(dataset), method(name).title, ends, *figures])
        original = STAND_IN.get(dataset, dataset)
        if original in paper.DISTINCT.index:
            printed = paper.DISTINCT.loc[original].reindex(means.columns, fill_value=NOTHING)
            rows.append([paper_label(dataset), method("ours").title, str(paper.SPLITS), *printed])
    columns = ["data", "method", "splits", *(f"K={size}" for size in means)]
    return Section(
        "Deduplication",
        "Mean number of different features among the K that Ours and CAE-S select, at N_S = 2. The paper has "
        "counts of Ours.",
        markdown.table(pd.DataFrame(rows, columns=columns), 2),
        used,
    )


def other_counts(lines: pd.DataFrame) -> str:
    """Say where Ours selects more or fewer different features than in the paper."""
    means = _counted(lines, "ours").groupby(["dataset", "num_selected"])["distinct"].mean()
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


def _counted(lines: pd.DataFrame, name: str) -> pd.DataFrame:
    """Take the lines of a method that count."""
    here = lines[lines["support_size"] == 2]
    found = (compare(here, dataset, "distinct", [name]) for dataset in here["dataset"].unique())
    return pd.concat([here[:0], *(comparison.used for comparison in found)])
