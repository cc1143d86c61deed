"""Ours against CAE-S in reconstruction, cell by cell: the paper's first claim."""

from collections.abc import Sequence

from tffs.tables import paper
from tffs.tables.comparison import Comparison, compare, datasets_of, in_papers_grid
from tffs.tables.markdown import NOTHING, figures, table
from tffs.tables.names import dataset_name, in_order
from tffs.tables.records import Result
from tffs.tables.section import Section, missing_methods

METHODS = ("ours", "cae_s")


def gap_table(results: Sequence[Result]) -> Section | None:
    """Make the table of both methods' MSRE for each dataset, N_S and K, with the relative gap."""
    rows: list[list[str]] = []
    overall = []
    both = datasets_of(results, METHODS[:1], "msre") & datasets_of(results, METHODS[1:], "msre")
    for dataset in in_order(both):
        sizes = {(result.support_size, result.num_selected) for result in results if result.dataset == dataset}
        for support_size, num_selected in sorted(sizes):
            here = [result for result in results if _is_at(result, support_size, num_selected)]
            comparison = compare(here, dataset, "msre", METHODS)
            if comparison is not None and len(comparison.values) == 2 and comparison.cells:
                rows.append(_row(comparison, str(support_size), str(num_selected)))
        comparison = compare(results, dataset, "msre", METHODS, in_papers_grid)
        if comparison is not None and len(comparison.values) == 2 and comparison.cells:
            overall.append(comparison)
            rows.append(_row(comparison, "all", "all"))
        if dataset in paper.DATASETS:
            printed = paper.MSRE[dataset]
            gap = f"{paper.msre_gap(dataset):+z.1f} %"
            means = [printed[method].text for method in METHODS]
            rows.append(["*paper*", "all", "all", str(paper.SPLITS), *means, gap, "< 0.05", NOTHING])
    if not overall:
        return None
    header = ["data", "N_S", "K", "splits", "Ours", "CAE-S", "gap", "p", "Ours lower in"]
    return Section(
        about=(
            "The gap is how far Ours is below CAE-S, in percent of CAE-S: positive is better for Ours. p is "
            "the paired t-test's over the cells of the row, and the last column counts the cells in which "
            "Ours is lower. `all` is over the paper's N_S and K only; the paper's gap is computed from its "
            "table."
        ),
        table=table(header, rows),
        notes=tuple(missing_methods(overall, METHODS)),
        used=tuple(result for comparison in overall for result in comparison.used),
    )


def gap(comparison: Comparison) -> float:
    """Give by how many percent Ours is below CAE-S."""
    ours, cae_s = (comparison.mean(method) for method in METHODS)
    return 100.0 * (cae_s - ours) / cae_s


def _row(comparison: Comparison, support_size: str, num_selected: str) -> list[str]:
    pairs = zip(*(comparison.figures(method) for method in METHODS), strict=True)
    lower = sum(ours < cae_s for ours, cae_s in pairs)
    return [
        dataset_name(comparison.dataset),
        support_size,
        num_selected,
        str(comparison.splits),
        *figures(comparison, METHODS),
        f"{gap(comparison):+z.1f} %",
        shown_p(comparison.p_value(*METHODS)) if len(comparison.cells) > 1 else NOTHING,
        f"{lower} of {len(comparison.cells)}",
    ]


def shown_p(p: float) -> str:
    """Write a p-value."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _is_at(result: Result, support_size: int, num_selected: int) -> bool:
    return (result.support_size, result.num_selected) == (support_size, num_selected)
