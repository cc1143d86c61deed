"""Curves with standard errors, as in the paper: a metric against K for each N_S, and against T."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from reproduction import paper
from reproduction.comparison import Comparison, compare, in_papers_grid
from reproduction.names import METHODS, METRICS, VARIANT, YARDSTICK, dataset_name, in_order, method
from reproduction.pictures import save
from reproduction.tables import T_METHODS
from tffs.canvas import FAINT, canvas

SPREAD = 1.6  # how far the methods of one K stand apart, so that their error bars do not hide each other
T_METRICS = ("ari", "nmi", "msre")


def draw_metric(lines: pd.DataFrame, metric: str, path: str) -> str | None:
    """Draw a metric against K, datasets in rows and N_S in columns; a point is a mean over the splits that all have.

    Returns:
        The caption; None where there is nothing to draw.
    """
    lines = in_papers_grid(lines)
    lines = lines[lines[metric].notna() & lines["method"].isin([name for name in METHODS if METHODS[name].color])]
    datasets = in_order(lines[lines["method"].isin(paper.MAIN[metric])]["dataset"])
    lines = lines[lines["dataset"].isin(datasets)]
    if lines.empty:
        return None
    supports = sorted(lines["support_size"].unique())
    methods = [name for name in METHODS if name in set(lines["method"])]
    figure = canvas(3.3 * len(supports) + 0.8, 2.5 * len(datasets) + 1.0)
    axes = figure.subplots(len(datasets), len(supports), squeeze=False, sharex="row", sharey="row")
    shown: dict[str, Any] = {}
    counts: set[int] = set()
    for row, dataset in zip(axes, datasets, strict=True):
        ticks: set[int] = set()
        for axis, support_size in zip(row, supports, strict=True):
            points = _points(lines[lines["support_size"] == support_size], dataset, metric, methods)
            shown |= _draw_curves(axis, points, methods)
            ticks |= points.keys()
            counts |= {comparison.splits for comparison in points.values()}
            axis.set_title(f"{dataset_name(dataset)}, $N_S$ = {support_size}", fontsize=10)
        for axis in row:
            axis.set_xticks(sorted(ticks))
            if metric == "msre":
                _logarithmic(axis)
        row[0].set_ylabel(METRICS[metric].title)
    for axis in axes[-1]:
        axis.set_xlabel("selected features K")
    names = [name for name in methods if name in shown]
    handles, titles = [shown[name] for name in names], [method(name).title for name in names]
    figure.legend(handles, titles, loc="outside upper center", ncols=min(len(names), 5), frameon=False)
    figure.align_ylabels()
    save(figure, path)
    return (
        "Mean and standard error over the splits that all methods of a point have "
        f"({' to '.join(map(str, sorted({min(counts), max(counts)})))}); points of one K stand a little apart, and "
        f"yardsticks have no bars.{' The scale is logarithmic.' if metric == 'msre' else ''}"
    )


def draw_t_dependence(lines: pd.DataFrame, path: str) -> str | None:
    """Draw ARI, NMI and MSRE against T, one row a dataset.

    Returns:
        The caption; None where no T but the default was run.
    """
    lines = in_papers_grid(lines)
    others = [name for name in T_METHODS.values() if method(name).role == VARIANT]
    run = lines[lines["method"].isin(others) & lines[[*T_METRICS]].notna().any(axis=1)]
    datasets = in_order(run["dataset"])
    if not datasets:
        return None
    figure = canvas(10.0, 2.7 * len(datasets) + 0.4)
    axes = figure.subplots(len(datasets), len(T_METRICS), squeeze=False)
    rests = []
    for row, dataset in zip(axes, datasets, strict=True):
        for axis, metric in zip(row, T_METRICS, strict=True):
            axis.set_title(f"{dataset_name(dataset)}, {METRICS[metric].title}", fontsize=10)
            comparison = compare(lines, dataset, metric, tuple(T_METHODS.values()))
            if not _started(axis, comparison is not None and not comparison.values.empty):
                continue
            values = comparison.values
            at = [number for number, name in enumerate(T_METHODS.values()) if name in values]
            errors = values.sem().fillna(0.0)
            axis.errorbar(
                at, values.mean(), yerr=errors, color=METHODS["ours"].color, marker=METHODS["ours"].marker, capsize=2
            )
            axis.set_xticks(range(len(T_METHODS)), [str(size) for size in T_METHODS])
            if metric == T_METRICS[0]:
                rests.append(f"{dataset_name(dataset)} {len(values)} cells of {comparison.splits} splits")
    for axis in axes[-1]:
        axis.set_xlabel("T")
    save(figure, path)
    return (
        f"Mean and standard error over the cells that all T have ({'; '.join(rests)}). The values of T are evenly "
        "spaced; 300 is the default."
    )


def _points(lines: pd.DataFrame, dataset: str, metric: str, methods: Sequence[str]) -> dict[int, Comparison]:
    """Compare the methods at each K."""
    here = lines[lines["dataset"] == dataset]
    found = {size: compare(part, dataset, metric, methods) for size, part in here.groupby("num_selected")}
    return {size: comparison for size, comparison in found.items() if comparison and not comparison.values.empty}


def _started(axis: Any, there: bool) -> bool:
    """Prepare an axis, and say on it where there is nothing to draw."""
    axis.grid(color=FAINT, linewidth=0.6)
    axis.tick_params(labelsize=8)
    if not there:
        axis.text(0.5, 0.5, "not run", ha="center", va="center", color="0.5", transform=axis.transAxes)
    return there


def _draw_curves(axis: Any, points: dict[int, Comparison], methods: Sequence[str]) -> dict[str, Any]:
    """Draw a curve for each method; give them by method."""
    shown: dict[str, Any] = {}
    if not _started(axis, bool(points)):
        return shown
    for number, name in enumerate(methods):
        there = {size: comparison.values[name] for size, comparison in points.items() if name in comparison.values}
        if there:
            look = method(name)
            shift = SPREAD * (number / max(len(methods) - 1, 1) - 0.5)
            errors = [float(values.sem()) if len(values) > 1 else 0.0 for values in there.values()]
            shown[name] = axis.errorbar(
                [size + shift for size in there],
                [float(values.mean()) for values in there.values()],
                yerr=None if look.role == YARDSTICK else errors,
                color=look.color,
                marker=look.marker,
                linestyle=look.line,
                linewidth=2.2 if name == "ours" else 1.3,
                markersize=4,
                elinewidth=0.8,
                capsize=1.5,
                zorder=3 if name == "ours" else 2,
            )
    return shown


def _logarithmic(axis: Any) -> None:
    """Keep small errors apart beside the large ones of CAE-T."""
    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.yaxis.set_major_formatter(ScalarFormatter())
    axis.yaxis.set_minor_formatter(NullFormatter())
