"""How the figures depend on T, the dimension of π: the paper's last figures."""

from collections.abc import Sequence

import numpy as np

from tffs.evaluation.statistics import standard_error
from tffs.tables import paper
from tffs.tables.comparison import in_papers_grid
from tffs.tables.drawing import FAINT, LOOKS, Drawing, canvas, save
from tffs.tables.names import METRICS, dataset_name, in_order
from tffs.tables.records import Result
from tffs.tables.rows import compare_where_run
from tffs.tables.variants import DEFAULT_T, with_default_t

SHOWN = ("ari", "nmi", "msre")


def draw_t_dependence(results: Sequence[Result], path: str) -> Drawing | None:
    """Draw ARI, NMI and MSRE against T, one row a dataset.

    Returns:
        None where no T but the default was run.
    """
    methods = [f"ours_T{size}" for size in paper.T_VALUES]
    subjects = [method for method in methods if method != DEFAULT_T]
    comparisons = {
        (comparison.dataset, comparison.metric): comparison
        for comparison in compare_where_run(with_default_t(results), methods, subjects, SHOWN, in_papers_grid)
        if comparison.cells
    }
    datasets = in_order({dataset for dataset, _ in comparisons})
    if not datasets:
        return None
    figure = canvas(10.0, 2.7 * len(datasets) + 0.4)
    axes = figure.subplots(len(datasets), len(SHOWN), squeeze=False)
    for row, dataset in zip(axes, datasets, strict=True):
        for axis, metric in zip(row, SHOWN, strict=True):
            axis.set_title(f"{dataset_name(dataset)}, {METRICS[metric].title}", fontsize=10)
            axis.grid(color=FAINT, linewidth=0.6)
            axis.tick_params(labelsize=8)
            comparison = comparisons.get((dataset, metric))
            if comparison is None:
                axis.text(0.5, 0.5, "not run", ha="center", va="center", color="0.5", transform=axis.transAxes)
                continue
            at = [number for number, method in enumerate(methods) if method in comparison.values]
            values = [comparison.figures(methods[number]) for number in at]
            errors = [standard_error(these) if len(these) > 1 else 0.0 for these in values]
            means = [float(np.mean(these)) for these in values]
            look = LOOKS["ours"]
            axis.errorbar(at, means, yerr=errors, color=look.color, marker=look.marker, capsize=2)
            axis.set_xticks(range(len(methods)), [str(size) for size in paper.T_VALUES])
    for axis in axes[-1]:
        axis.set_xlabel("T")
    save(figure, path)
    rests = "; ".join(
        f"{dataset_name(dataset)} {len(comparisons[dataset, metric].cells)} cells of "
        f"{comparisons[dataset, metric].splits} splits"
        for dataset in datasets
        for metric in SHOWN[:1]
        if (dataset, metric) in comparisons
    )
    return Drawing(
        path,
        f"Mean and standard error over the cells that all T have ({rests}). The values of T are evenly "
        "spaced; 300 is the default.",
    )
