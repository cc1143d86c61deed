"""Rows of tables that show several metrics of some methods on some datasets."""

from collections.abc import Callable, Sequence

from tffs.tables.comparison import Comparison, compare, datasets_of
from tffs.tables.markdown import figures
from tffs.tables.names import METRICS, dataset_name, in_order
from tffs.tables.records import Result

COLUMNS = ("data", "metric", "splits", "cells")
THREE = ("msre", "ari", "nmi")


def compare_where_run(
    results: Sequence[Result],
    methods: Sequence[str],
    subjects: Sequence[str],
    metrics: Sequence[str],
    where: Callable[[Result], bool],
) -> list[Comparison]:
    """Compare methods on every dataset that a table is about.

    Args:
        results: all lines.
        methods: those of the table.
        subjects: those the table is about; a dataset on which none of them was run is left out.
        metrics: names of metrics.
        where: which lines count.
    """
    here = [result for result in results if where(result)]
    run = set().union(*(datasets_of(here, subjects, metric) for metric in metrics))
    found = [compare(here, dataset, metric, methods) for dataset in in_order(run) for metric in metrics]
    return [comparison for comparison in found if comparison is not None]


def comparison_row(comparison: Comparison, methods: Sequence[str], at: str = "") -> list[str]:
    """Write one row: dataset, metric, splits, cells, and a figure a method."""
    return [
        f"{dataset_name(comparison.dataset)}{at}",
        METRICS[comparison.metric].title,
        str(comparison.splits),
        f"{len(comparison.cells)} of {comparison.wanted}",
        *figures(comparison, methods),
    ]
