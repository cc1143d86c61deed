"""Curves with standard errors, as in the paper: a metric against K for each N_S, and against T."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from reproduction import paper
from reproduction.comparison import Comparison, beside_ours, compare, compare_by_reach, in_papers_grid
from reproduction.names import METHODS, METRICS, YARDSTICK, dataset_name, in_order, method
from reproduction.tables import T_DEPENDENCE, T_METHODS
from tffs.canvas import FAINT, canvas, save

Points = dict[tuple, dict[str, pd.Series]]  # by dataset, N_S and K, then by method
THICK = ("ours", "posterior")
SPREAD = 1.6  # how far the methods of one K stand apart, so that their error bars do not hide each other
FEWEST_OF_A_CURVE = 3  # cells that a curve over T must rest on
OVER_T = ("ari", "nmi", "msre")


def draw_metric(lines: pd.DataFrame, metric: str, path: str) -> str | None:
    """Draw a metric against K, datasets in rows and N_S in columns.

    Returns:
        The caption; None where there is nothing to draw.
    """
    lines = in_papers_grid(lines)
    lines = lines[
        lines[metric].notna() & lines["method"].isin([name for name in METHODS if METHODS[name].color])
    ]
    datasets = in_order(lines[lines["method"].isin(paper.MAIN[metric])]["dataset"])
    lines = lines[lines["dataset"].isin(datasets)]
    if lines.empty:
        return None
    supports, sizes = sorted(lines["support_size"].unique()), ["dataset", "support_size", "num_selected"]
    methods = [name for name in METHODS if name in set(lines["method"])]
    found = {
        size: beside_ours(compare_by_reach(part, size[0], metric, methods))
        for size, part in lines.groupby(sizes)
    }
    points = {
        size: {name: one.values[name] for one in reversed(comparisons) for name in one.values}
        for size, comparisons in found.items()
        if len(comparisons[0].values)
    }
    points = _without_few(points)
    figure = canvas(3.3 * len(supports) + 0.8, 2.5 * len(datasets) + 1.0)
    axes = figure.subplots(len(datasets), len(supports), squeeze=False, sharex="row", sharey="row")
    curves: dict[str, Any] = {}
    for row, dataset in zip(axes, datasets, strict=True):
        for axis, support_size in zip(row, supports, strict=True):
            here = {k: one for (*cell, k), one in points.items() if cell == [dataset, support_size]}
            curves |= _draw_curves(axis, here, methods)
            axis.set_title(f"{dataset_name(dataset)}, $N_S$ = {support_size}", fontsize=10)
            axis.set_xticks(sorted({k for name, _, k in points if name == dataset}))
            if metric == "msre":
                _logarithmic(axis)
        row[0].set_ylabel(METRICS[metric].title)
    for axis in axes[-1]:
        axis.set_xlabel("selected features K")
    handles = {method(name).title: curves[name] for name in methods if name in curves}
    columns = min(len(handles), 5)
    figure.legend(handles.values(), handles, loc="outside upper center", ncols=columns, frameon=False)
    figure.align_ylabels()
    save(figure, path)
    splits = [len(values) for values_of in points.values() for values in values_of.values()]
    return (
        "Mean and standard error over the splits that the methods of a point share "
        f"({' to '.join(map(str, sorted({min(splits), max(splits)})))}). A method that was run on fewer "
        "splits has its points over those; a point of fewer than half as many splits as others of its method "
        "is left out. Points of one K stand a little apart, and yardsticks have no "
        f"bars.{' The scale is logarithmic.' if metric == 'msre' else ''}"
    )


def draw_t_dependence(lines: pd.DataFrame, path: str) -> str | None:
    """Draw ARI, NMI and MSRE against T, one row a dataset.

    Returns:
        The caption; None where no dataset has enough cells with another T than the default.
    """
    datasets, lines = T_DEPENDENCE.datasets(lines), T_DEPENDENCE.cells(lines)
    found = {
        dataset: {metric: compare(lines, dataset, metric, T_DEPENDENCE.methods) for metric in OVER_T}
        for dataset in datasets
    }
    datasets = [name for name in datasets if any(map(_enough_for_a_curve, found[name].values()))]
    if not datasets:
        return None
    figure = canvas(10.0, 2.7 * len(datasets) + 0.4)
    axes = figure.subplots(len(datasets), len(OVER_T), squeeze=False)
    for row, dataset in zip(axes, datasets, strict=True):
        for axis, (metric, comparison) in zip(row, found[dataset].items(), strict=True):
            axis.set_title(f"{dataset_name(dataset)}, {METRICS[metric].title}", fontsize=10)
            axis.set_xlabel("T" if dataset == datasets[-1] else None)
            axis.set_xticks(range(len(T_METHODS)), list(map(str, T_METHODS)))
            if _prepare(axis, _enough_for_a_curve(comparison), f"fewer than {FEWEST_OF_A_CURVE} cells"):
                at = [number for number, name in enumerate(T_DEPENDENCE.methods) if name in comparison.values]
                look, errors = METHODS["ours"], comparison.values.sem().fillna(0.0)
                means = comparison.values.mean()
                axis.errorbar(at, means, yerr=errors, color=look.color, marker=look.marker, capsize=2)
    save(figure, path)
    return (
        "Mean and standard error over the cells that all T have, which the table of the same name counts. A "
        f"dataset with fewer than {FEWEST_OF_A_CURVE} of them is left out. The values of T are evenly spaced; "
        "300 is the default."
    )


def _enough_for_a_curve(comparison: Comparison) -> bool:
    return len(comparison.values) >= FEWEST_OF_A_CURVE


def _without_few(points: Points) -> Points:
    """Leave out the points of a curve that rest on fewer than half as many splits as others of its method."""
    most: dict[tuple, int] = {}
    for (dataset, *_), values in points.items():
        for name, figures in values.items():
            most[dataset, name] = max(most.get((dataset, name), 0), len(figures))
    kept = {
        size: {name: figures for name, figures in values.items() if 2 * len(figures) >= most[size[0], name]}
        for size, values in points.items()
    }
    return {size: values for size, values in kept.items() if values}


def _prepare(axis: Any, there: bool, why: str = "not run") -> bool:
    """Prepare an axis, and say on it why there is nothing to draw."""
    axis.grid(color=FAINT, linewidth=0.6)
    axis.tick_params(labelsize=8)
    if not there:
        axis.text(0.5, 0.5, why, ha="center", va="center", color="0.5", transform=axis.transAxes)
    return there


def _draw_curves(axis: Any, points: dict[int, dict[str, pd.Series]], methods: Sequence[str]) -> dict[str, Any]:
    """Draw and give a curve for each method that has points."""
    curves: dict[str, Any] = {}
    for number, name in enumerate(methods if _prepare(axis, bool(points)) else ()):
        there = {k: values_of[name] for k, values_of in points.items() if name in values_of}
        if there:
            look, shift = method(name), SPREAD * (number / max(len(methods) - 1, 1) - 0.5)
            errors = [values.sem() if len(values) > 1 else 0.0 for values in there.values()]
            curves[name] = axis.errorbar(
                [k + shift for k in there],
                [values.mean() for values in there.values()],
                yerr=None if look.role == YARDSTICK else errors,
                color=look.color,
                marker=look.marker,
                linestyle=look.line,
                linewidth=2.2 if name in THICK else 1.3,
                markersize=4,
                elinewidth=0.8,
                capsize=1.5,
                zorder=3 if name in THICK else 2,
            )
    return curves


def _logarithmic(axis: Any) -> None:
    """Keep small errors apart beside the large ones of CAE-T."""
    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.yaxis.set_major_formatter(ScalarFormatter())
    axis.yaxis.set_minor_formatter(NullFormatter())
