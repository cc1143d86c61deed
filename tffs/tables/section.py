"""A part of the page: a table, what is missing from it, and the lines it rests on."""

import dataclasses
from collections.abc import Sequence

from tffs.tables import paper
from tffs.tables.comparison import Comparison
from tffs.tables.names import STAND_IN, dataset_name, in_order, joined, method_name
from tffs.tables.records import Result


@dataclasses.dataclass(frozen=True)
class Section:
    """One table of the page.

    Attributes:
        about: what it shows, one paragraph.
        table: in Markdown.
        notes: what is missing, one sentence each.
        used: the lines that it rests on.
    """

    about: str
    table: str
    notes: tuple[str, ...]
    used: tuple[Result, ...]


def missing_methods(comparisons: Sequence[Comparison], methods: Sequence[str], at: str = "") -> list[str]:
    """Say which methods are missing from a table, on which datasets, and which have only some of the cells.

    Args:
        comparisons: of the table; several metrics of a dataset tell together.
        methods: of the table.
        at: what the comparisons are limited to, such as " at K = 2".
    """
    by_dataset: dict[str, Comparison] = {}
    for comparison in comparisons:
        known = by_dataset.setdefault(comparison.dataset, comparison)
        if len(comparison.values) > len(known.values):
            by_dataset[comparison.dataset] = comparison
    notes = []
    absent: dict[tuple[str, ...], list[str]] = {}
    for dataset, comparison in by_dataset.items():
        lacking = tuple(method for method in methods if method not in comparison.values)
        if lacking:
            absent.setdefault(lacking, []).append(dataset)
    for lacking, datasets in absent.items():
        have = "has" if len(lacking) == 1 else "have"
        notes.append(f"{_methods(lacking)} {have} no figures on {_datasets(datasets)}{at}.")
    for dataset, comparison in by_dataset.items():
        counts: dict[int, list[str]] = {}
        for method, count in comparison.had.items():
            if count < comparison.wanted:
                counts.setdefault(count, []).append(method)
        if counts:
            parts = [
                f"{_methods(lacking)} {'has' if len(lacking) == 1 else 'have'} {count}"
                for count, lacking in sorted(counts.items())
            ]
            notes.append(
                f"{dataset_name(dataset)}{at}: of {comparison.wanted} cells that some method has, "
                f"{', '.join(parts)}; all are compared on the {len(comparison.cells)} that all have."
            )
    return notes


def missing_datasets(datasets: Sequence[str]) -> list[str]:
    """Say which of the paper's datasets are missing, and what stands in for one."""
    notes = []
    for stand_in, original in STAND_IN.items():
        if stand_in in datasets:
            notes.append(
                f"The {dataset_name(stand_in)} have the sizes of {dataset_name(original)} and stand in for "
                f"it: their rows are others, so the paper's {dataset_name(original)} figures are printed for "
                "orientation only."
            )
    missing = [dataset for dataset in paper.DATASETS if dataset not in datasets]
    if missing:
        notes.append(f"Not run: {_datasets(missing)}.")
    return notes


def missing_sizes(comparisons: Sequence[Comparison]) -> list[str]:
    """Say which N_S and K of the paper's grid the compared cells lack."""
    lacking: dict[str, list[str]] = {}
    for comparison in comparisons:
        if STAND_IN.get(comparison.dataset, comparison.dataset) not in paper.DATASETS or not comparison.cells:
            continue
        parts = []
        for title, wanted, there in (
            ("N_S", paper.SUPPORT_SIZES, {cell.support_size for cell in comparison.cells}),
            ("K", paper.NUM_SELECTED, {cell.num_selected for cell in comparison.cells}),
        ):
            left_out = [str(value) for value in wanted if value not in there]
            parts += [f"{title} = {', '.join(left_out)}"] if left_out else []
        names = lacking.setdefault(joined(parts), []) if parts else []
        if dataset_name(comparison.dataset) not in names:
            names.append(dataset_name(comparison.dataset))
    return [f"Without {parts} of the paper's grid: {joined(names)}." for parts, names in lacking.items()]


def _methods(methods: Sequence[str]) -> str:
    return joined([method_name(method) for method in methods])


def _datasets(datasets: Sequence[str]) -> str:
    return joined([dataset_name(dataset) for dataset in in_order(set(datasets))])
