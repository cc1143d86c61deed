"""MSRE, ARI or NMI against K for each N_S and dataset, with standard errors: the paper's figures."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from tffs.evaluation.statistics import standard_error
from tffs.tables.comparison import Comparison, compare, datasets_of, in_papers_grid
from tffs.tables.drawing import FAINT, LOOKS, Drawing, canvas, save
from tffs.tables.main_tables import METHODS
from tffs.tables.names import METRICS, dataset_name, in_order, joined, method_name
from tffs.tables.records import Result

YARDSTICKS = {"msre": ("random",), "ari": ("random", "all"), "nmi": ("random", "all")}
SPREAD = 1.6  # how far the methods of one K stand apart, so that their error bars do not hide each other


def draw_metric(results: Sequence[Result], metric: str, path: str) -> Drawing | None:
    """Draw one metric, datasets in rows and N_S in columns; a point is a mean over the splits that all have.

    Args:
        results: all lines.
        metric: `msre`, `ari` or `nmi`.
        path: the PNG to write.

    Returns:
        None where there is nothing to draw.
    """
    results = [result for result in results if in_papers_grid(result)]
    methods = [*METHODS[metric], *YARDSTICKS[metric]]
    datasets = in_order(datasets_of(results, METHODS[metric], metric))
    supports = sorted({result.support_size for result in results if result.dataset in datasets})
    points = {
        (dataset, support_size): _points(results, dataset, support_size, metric, methods)
        for dataset in datasets
        for support_size in supports
    }
    if not any(points.values()):
        return None
    figure = canvas(3.3 * len(supports) + 0.8, 2.5 * len(datasets) + 1.0)
    axes = figure.subplots(len(datasets), len(supports), squeeze=False, sharex="row", sharey="row")
    shown: dict[str, Any] = {}
    for row, dataset in zip(axes, datasets, strict=True):
        for axis, support_size in zip(row, supports, strict=True):
            _draw_curves(axis, points[dataset, support_size], methods, metric, shown)
            axis.set_xticks(sorted({size for support in supports for size, _ in points[dataset, support]}))
            axis.set_title(f"{dataset_name(dataset)}, $N_S$ = {support_size}", fontsize=10)
            if metric == "msre":
                _logarithmic(axis)
        row[0].set_ylabel(METRICS[metric].title)
    for axis in axes[-1]:
        axis.set_xlabel("selected features K")
    handles = [shown[method] for method in methods if method in shown]
    names = [method_name(method) for method in methods if method in shown]
    figure.legend(handles, names, loc="outside upper center", ncols=min(len(names), 5), frameon=False)
    figure.align_ylabels()
    save(figure, path)
    return Drawing(path, _caption(points, methods, shown, metric))


def _points(
    results: Sequence[Result], dataset: str, support_size: int, metric: str, methods: Sequence[str]
) -> list[tuple[int, Comparison]]:
    """Compare the methods at each K."""
    here = [result for result in results if (result.dataset, result.support_size) == (dataset, support_size)]
    found = []
    for num_selected in sorted({result.num_selected for result in here}):
        at_k = [result for result in here if result.num_selected == num_selected]
        comparison = compare(at_k, dataset, metric, methods)
        if comparison is not None and comparison.cells:
            found.append((num_selected, comparison))
    return found


def _draw_curves(
    axis: Any,
    points: list[tuple[int, Comparison]],
    methods: Sequence[str],
    metric: str,
    shown: dict[str, Any],
) -> None:
    axis.grid(color=FAINT, linewidth=0.6)
    axis.tick_params(labelsize=8)
    if not points:
        axis.text(0.5, 0.5, "not run", ha="center", va="center", color="0.5", transform=axis.transAxes)
        return
    for number, method in enumerate(methods):
        there = [
            (size, comparison.figures(method)) for size, comparison in points if method in comparison.values
        ]
        if there:
            look = LOOKS[method]
            shift = SPREAD * (number / (len(methods) - 1) - 0.5)
            errors = [standard_error(values) if len(values) > 1 else 0.0 for _, values in there]
            shown[method] = axis.errorbar(
                [size + shift for size, _ in there],
                [float(np.mean(values)) for _, values in there],
                yerr=None if method in YARDSTICKS[metric] else errors,
                color=look.color,
                marker=look.marker,
                linestyle=look.line,
                linewidth=look.width,
                markersize=4,
                elinewidth=0.8,
                capsize=1.5,
                zorder=3 if method == "ours" else 2,
            )


def _logarithmic(axis: Any) -> None:
    """Keep small errors apart beside the large ones of CAE-T."""
    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.yaxis.set_major_formatter(ScalarFormatter())
    axis.yaxis.set_minor_formatter(NullFormatter())


def _caption(
    points: dict[tuple[str, int], list[tuple[int, Comparison]]],
    methods: Sequence[str],
    shown: dict[str, Any],
    metric: str,
) -> str:
    comparisons = [comparison for found in points.values() for _, comparison in found]
    counts = sorted({comparison.splits for comparison in comparisons})
    splits = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    sentences = [
        f"Mean and standard error over the splits that all methods of a point have ({splits}); points of one K "
        "stand a little apart, and yardsticks have no bars."
    ]
    if metric == "msre":
        sentences.append("The scale is logarithmic.")
    missing = [method_name(method) for method in methods if method not in shown]
    if missing:
        sentences.append(f"Not run: {joined(missing)}.")
    return " ".join(sentences)
