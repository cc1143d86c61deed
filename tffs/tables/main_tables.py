"""The paper's three main tables: MSRE, ARI and NMI of every method on every dataset."""

from collections.abc import Sequence

from tffs.tables import paper
from tffs.tables.comparison import compare, datasets_of, in_papers_grid
from tffs.tables.markdown import figures, paper_figures, table
from tffs.tables.names import (
    PAPER_METHODS,
    RECONSTRUCTING,
    STAND_IN,
    dataset_name,
    in_order,
    method_name,
    paper_label,
)
from tffs.tables.records import Result
from tffs.tables.section import Section, missing_datasets, missing_methods, missing_sizes

METHODS = {"msre": RECONSTRUCTING, "ari": PAPER_METHODS, "nmi": PAPER_METHODS}
_ABOUT = {
    "msre": "Test MSRE, lower is better.",
    "ari": "Test ARI of K-means on the selected features, higher is better.",
    "nmi": "Test NMI of K-means on the selected features, higher is better.",
}


def main_table(results: Sequence[Result], metric: str) -> Section | None:
    """Make the table of one metric.

    Args:
        results: all lines.
        metric: `msre`, `ari` or `nmi`.
    """
    methods = METHODS[metric]
    comparisons = []
    for dataset in in_order(datasets_of(results, methods, metric)):
        comparison = compare(results, dataset, metric, methods, in_papers_grid)
        if comparison is not None:
            comparisons.append(comparison)
    if not comparisons:
        return None
    rows = []
    for comparison in comparisons:
        cells = f"{len(comparison.cells)} of {comparison.wanted}"
        rows.append(
            [dataset_name(comparison.dataset), str(comparison.splits), cells, *figures(comparison, methods)]
        )
        original = STAND_IN.get(comparison.dataset, comparison.dataset)
        if original in paper.MAIN[metric]:
            printed = paper_figures(paper.MAIN[metric][original], methods)
            rows.append([paper_label(comparison.dataset), str(paper.SPLITS), str(paper.CELLS), *printed])
    datasets = [comparison.dataset for comparison in comparisons]
    return Section(
        about=f"{_ABOUT[metric]} Mean(standard deviation) over the cells that all methods of the row have.",
        table=table(["data", "splits", "cells", *map(method_name, methods)], rows),
        notes=(
            *missing_datasets(datasets),
            *missing_sizes(comparisons),
            *missing_methods(comparisons, methods),
        ),
        used=tuple(result for comparison in comparisons for result in comparison.used),
    )
