"""How many different features are selected, and how long it takes."""

from collections import Counter
from collections.abc import Sequence

from tffs.evaluation.statistics import mean_and_deviation
from tffs.tables import paper
from tffs.tables.comparison import Comparison, compare, datasets_of, in_papers_grid
from tffs.tables.markdown import NOTHING, figure, paper_figures, table
from tffs.tables.names import (
    PAPER_METHODS,
    STAND_IN,
    dataset_name,
    in_order,
    joined,
    method_name,
    paper_label,
)
from tffs.tables.records import Result
from tffs.tables.section import Section, missing_datasets, missing_methods

DEDUPLICATION_SUPPORT = 2  # the paper's table is for N_S = 2


def distinct_counts(results: Sequence[Result]) -> dict[str, Comparison]:
    """Find how many different features Ours selects at N_S = 2 on each dataset."""
    here = [result for result in results if result.support_size == DEDUPLICATION_SUPPORT]
    datasets = in_order(datasets_of(here, ["ours"], "distinct"))
    found = {dataset: compare(here, dataset, "distinct", ["ours"]) for dataset in datasets}
    return {dataset: comparison for dataset, comparison in found.items() if comparison is not None}


def mean_counts(comparison: Comparison) -> dict[int, float]:
    """Give the mean number of different features for each K."""
    counts: dict[int, list[float]] = {}
    for cell, distinct in comparison.values["ours"].items():
        counts.setdefault(cell.num_selected, []).append(distinct)
    return {size: mean_and_deviation(counts[size])[0] for size in sorted(counts)}


def deduplication_table(results: Sequence[Result]) -> Section | None:
    """Make the table of how many of K selected features are different ones."""
    comparisons = distinct_counts(results)
    if not comparisons:
        return None
    means = {dataset: mean_counts(comparison) for dataset, comparison in comparisons.items()}
    sizes = sorted({*paper.NUM_SELECTED, *(size for by_size in means.values() for size in by_size)})
    rows = []
    missing: dict[str, list[str]] = {}
    for dataset, comparison in comparisons.items():
        cells = [f"{means[dataset][size]:.1f}" if size in means[dataset] else NOTHING for size in sizes]
        splits = Counter(cell.num_selected for cell in comparison.cells).values()
        spread = sorted({min(splits), max(splits)})
        rows.append([dataset_name(dataset), " to ".join(map(str, spread)), *cells])
        original = STAND_IN.get(dataset, dataset)
        if original in paper.DISTINCT:
            printed = paper_figures(paper.DISTINCT[original], list(map(str, sizes)))
            rows.append([paper_label(dataset), str(paper.SPLITS), *printed])
            lacking = ", ".join(str(size) for size in paper.NUM_SELECTED if size not in means[dataset])
            if lacking:
                missing.setdefault(lacking, []).append(dataset_name(dataset))
    notes = [f"Without K = {sizes} of the paper's grid: {joined(names)}." for sizes, names in missing.items()]
    return Section(
        about="Mean number of different features among the K that Ours selects, at N_S = 2.",
        table=table(["data", "splits", *(f"K={size}" for size in sizes)], rows),
        notes=(*missing_datasets(list(comparisons)), *notes),
        used=tuple(result for comparison in comparisons.values() for result in comparison.used),
    )


def time_table(results: Sequence[Result], dataset: str = "mnist_r") -> Section | None:
    """Make the table of computation times, as the paper has it for MNIST-r."""
    comparison = compare(results, dataset, "seconds", PAPER_METHODS, in_papers_grid)
    if comparison is None:
        return None
    selecting = compare(results, dataset, "select_seconds", ["ours"], in_papers_grid)
    columns = tuple(paper.SECONDS)
    cells = []
    for column in columns:
        measured = selecting if column == "ours_target" else comparison
        values = measured.figures("ours" if column == "ours_target" else column) if measured else []
        cells.append(figure(values, _decimals(values)))
    length = comparison.cells[0].steps if comparison.cells else None
    steps = "" if length is None else f", {length:,} steps"
    notes = missing_methods([comparison], PAPER_METHODS)
    if selecting is None:
        notes.append(f"{method_name('ours_target')} was not measured.")
    return Section(
        about=(
            f"Seconds of training on {dataset_name(dataset)}, mean(standard deviation) over the cells that "
            f"all methods have{steps}. Ours-target is one selection from a support set by the trained model; "
            "CAE-ST is the fine-tuning alone. Here every training has one thread while others run beside it; "
            "the paper's figures are from a 2.20 GHz CPU, so the ratios say more than the seconds."
        ),
        table=table(
            ["seconds", "splits", "cells", *map(method_name, columns)],
            [
                ["here", str(comparison.splits), f"{len(comparison.cells)} of {comparison.wanted}", *cells],
                ["*paper*", NOTHING, NOTHING, *paper_figures(paper.SECONDS, columns)],
            ],
        ),
        notes=tuple(notes),
        used=comparison.used,
    )


def _decimals(seconds: Sequence[float]) -> int:
    """Choose decimals that leave about three digits."""
    least = min(seconds, default=0.0)
    return 4 if least < 0.1 else 2 if least < 10.0 else 1
