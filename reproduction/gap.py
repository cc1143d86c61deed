"""One method against another in reconstruction, cell by cell."""

import pandas as pd

from reproduction import paper
from reproduction.comparison import Comparison, compare, in_papers_grid
from reproduction.names import dataset_name, in_order, method
from reproduction.section import Section, incomplete
from reproduction.significance import shown_p
from tffs import markdown
from tffs.markdown import NOTHING

METRIC = "msre"


def gap_section(lines: pd.DataFrame, first: str, second: str) -> Section | None:
    """Make the table of two methods' MSRE for each dataset, N_S and K, with the relative gap."""
    rows, overall = [], []
    lines = lines[lines["method"].isin((first, second)) & lines[METRIC].notna()]
    for dataset in in_order(lines["dataset"]):
        here = lines[lines["dataset"] == dataset]
        whole = compare(in_papers_grid(here), dataset, METRIC, (first, second))
        for (support_size, num_selected), part in here.groupby(["support_size", "num_selected"]):
            comparison = compare(part, dataset, METRIC, (first, second))
            if _has_pairs(comparison):
                rows.append(_row(comparison, first, second, str(support_size), str(num_selected)))
        if _has_pairs(whole):
            overall.append(whole)
            rows.append(_row(whole, first, second, "all", "all"))
        if dataset in paper.MSRE.index and {first, second} <= set(paper.MSRE):
            figures = [paper.MSRE.loc[dataset, name].strip("*") for name in (first, second)]
            share = f"{_gap(*map(paper.mean, figures)):+z.1f} %"
            rows.append(["*paper*", "all", "all", str(paper.SPLITS), *figures, share, "< 0.05", NOTHING])
    if not overall:
        return None
    one, other = method(first).title, method(second).title
    frame = pd.DataFrame(
        rows, columns=["data", "N_S", "K", "splits", one, other, "gap", "p", f"{one} lower in"], dtype=str
    )
    return Section(
        f"{one} against {other} in MSRE, cell by cell",
        f"The gap is how far {one} is below {other}, in percent of {other}: positive is better for {one}. p is "
        "that of the paired t-test over the cells of the row. The last column counts the cells in which "
        f"{one} is lower. `all` is over the paper's N_S and K only; the paper's gap is computed from its table.",
        markdown.table(frame),
        pd.concat([comparison.used for comparison in overall]),
        incomplete(overall),
    )


def _has_pairs(comparison: Comparison | None) -> bool:
    return comparison is not None and len(comparison.had) == 2 and len(comparison.values) > 0


def _gap(first: float, second: float) -> float:
    return 100.0 * (second - first) / second


def _row(comparison: Comparison, first: str, second: str, support_size: str, num_selected: str) -> list[str]:
    values = comparison.values
    return [
        dataset_name(comparison.dataset),
        support_size,
        num_selected,
        str(comparison.splits),
        *comparison.figures((first, second)),
        f"{_gap(values[first].mean(), values[second].mean()):+z.1f} %",
        shown_p(comparison.p_value(first, second)) if len(values) > 1 else NOTHING,
        f"{(values[first] < values[second]).sum()} of {len(values)}",
    ]
