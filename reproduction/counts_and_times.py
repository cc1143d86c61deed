"""How many different features are selected, and how long it takes."""

import pandas as pd

from reproduction import paper
from reproduction.comparison import compare, in_papers_grid, mean_and_deviation
from reproduction.names import METRICS, STAND_IN, dataset_name, in_order, joined, method
from reproduction.section import Section, incomplete, paper_label
from tffs import markdown
from tffs.markdown import NOTHING

NEAR = 0.05  # a mean count within this share of K is like the paper's


def distinct_counts(lines: pd.DataFrame) -> pd.DataFrame:
    """Take the lines that say how many different features Ours selects at N_S = 2, as in the paper's table."""
    here = lines[lines["support_size"] == 2]
    found = (compare(here, dataset, "distinct", ["ours"]) for dataset in here["dataset"].unique())
    return pd.concat([here[:0], *(comparison.used for comparison in found if comparison)])


def deduplication(lines: pd.DataFrame) -> Section | None:
    """Make the table of how many of K selected features are different ones."""
    used = distinct_counts(lines)
    if used.empty:
        return None
    means = used.pivot_table("distinct", "dataset", "num_selected")
    means = means.reindex(columns=sorted({*means, *paper.NUM_SELECTED}))
    rows = []
    for dataset in in_order(means.index):
        counts = used[used["dataset"] == dataset].groupby("num_selected")["split"].nunique()
        splits = " to ".join(map(str, sorted({counts.min(), counts.max()})))
        figures = [NOTHING if pd.isna(mean) else f"{mean:.1f}" for mean in means.loc[dataset]]
        rows.append([dataset_name(dataset), splits, *figures])
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


def distinct_sentences(lines: pd.DataFrame) -> list[str]:
    """Say for each dataset of the paper whether as many different features are selected as there."""
    sentences = []
    means = distinct_counts(lines).groupby(["dataset", "num_selected"])["distinct"].mean()
    for dataset in in_order(set(means.index.unique("dataset")) & set(paper.DISTINCT.index)):
        here = means[dataset]
        parts, differs = [], []
        for size in here.index.intersection(paper.DISTINCT.columns):
            mean, printed = here[size], paper.mean(paper.DISTINCT.loc[dataset, size])
            parts.append(f"{mean:.1f} of {size} (paper {printed:.1f})")
            if abs(mean - printed) > NEAR * size:
                differs.append(f"{'more' if mean > printed else 'fewer'} at K = {size}")
        verdict = f"not like the paper's: {joined(differs)}" if differs else "like the paper's"
        sentences.append(f"{dataset_name(dataset)}: {', '.join(parts)}; {verdict}.")
    return sentences


def computation_time(lines: pd.DataFrame, dataset: str = "mnist_r") -> Section | None:
    """Make the table of computation times, as the paper has it for MNIST-r."""
    lines = in_papers_grid(lines)
    training = compare(lines, dataset, "seconds", [name for name in paper.SECONDS if name != "ours_target"])
    selecting = compare(lines, dataset, "select_seconds", ["ours"])
    if training is None:
        return None
    seconds = dict(training.values.items())
    if selecting is not None:
        seconds["ours_target"] = selecting.values["ours"]
    here = [_seconds(seconds.get(name, pd.Series(dtype=float))) for name in paper.SECONDS]
    titles = ["Ours-target" if name == "ours_target" else method(name).title for name in paper.SECONDS]
    frame = pd.DataFrame(
        [
            ["here", str(training.splits), f"{len(training.values)} of {training.wanted}", *here],
            ["*paper*", NOTHING, NOTHING, *paper.SECONDS.loc[dataset]],
        ],
        columns=[METRICS["seconds"].title, "splits", "cells", *titles],
    )
    return Section(
        "Computation time",
        f"Seconds of training on {dataset_name(dataset)}, mean(standard deviation) over the cells that all "
        "methods have. Ours-target is one selection from a support set by the trained model; CAE-ST is the "
        "fine-tuning alone. Here every training has one thread while others run beside it. The paper's figures "
        "are from a 2.20 GHz CPU, so the ratios say more than the seconds.",
        markdown.table(frame),
        training.used,
        incomplete([training]),
    )


def _seconds(values: pd.Series) -> str:
    """Write seconds with decimals that leave about three digits."""
    return mean_and_deviation(values, 4 if values.min() < 0.1 else 2 if values.min() < 10.0 else 1)
