"""How long each method takes to train, beside the paper's seconds."""

import pandas as pd

from reproduction import paper
from reproduction.comparison import beside_ours, compare_by_reach, in_papers_grid
from reproduction.names import METHODS, dataset_name, in_order, method
from tffs.canvas import FAINT, canvas, save

TIMED = (*paper.SECONDS, "posterior", "greedy")
PAPERS = "0.75"  # grey
HEIGHT = 0.36  # of a bar; two stand together


def draw_times(lines: pd.DataFrame, path: str) -> str | None:
    """Draw the seconds of training of each method as bars, a part for each dataset of the paper.

    Returns:
        The caption; None where nothing was timed.
    """
    grid = in_papers_grid(lines[lines["dataset"].isin(paper.DATASETS)])
    seconds = {dataset: _seconds(grid, dataset) for dataset in in_order(grid["dataset"])}
    seconds = {dataset: means for dataset, means in seconds.items() if means}
    if not seconds:
        return None
    figure = canvas(4.0 * len(seconds) + 1.2, 0.42 * len(TIMED) + 1.2)
    axes = figure.subplots(1, len(seconds), squeeze=False, sharex=True, sharey=True)[0]
    shown: list[float] = []
    for axis, (dataset, means) in zip(axes, seconds.items(), strict=True):
        printed = paper.SECONDS.loc[dataset].astype(float).to_dict() if dataset in paper.SECONDS.index else {}
        for shift, figures, color in ((-1, means, None), (1, printed, PAPERS)):
            shown += figures.values()
            for name, value in figures.items():
                at = TIMED.index(name) + shift * HEIGHT / 2
                axis.barh(at, value, HEIGHT, color=color or METHODS[name].color)
                axis.text(value * 1.15, at, f"{value:.3g}", va="center", fontsize=8, color="0.25")
        axis.set_xscale("log")
        axis.set_axisbelow(True)
        axis.grid(axis="x", color=FAINT, linewidth=0.6)
        axis.tick_params(labelsize=8)
        axis.set_title(dataset_name(dataset) + (", grey: the paper" if printed else ""), fontsize=10)
        axis.set_xlabel("seconds of training")
    axes[0].set_xlim(min(shown) / 3, max(shown) * 8)
    axes[0].set_yticks(range(len(TIMED)), [method(name).title for name in TIMED], fontsize=9)
    axes[0].invert_yaxis()
    save(figure, path)
    return (
        "Mean seconds of a training, one thread each, while others ran beside it; the scale is logarithmic. "
        "The paper has seconds of MNIST-r only, from a 2.20 GHz CPU. CAE-ST is the fine-tuning alone; the "
        "posterior and greedy selection are fitted once for all N_S and K, the others for each K, and Ours "
        "for each N_S, too."
    )


def _seconds(grid: pd.DataFrame, dataset: str) -> dict[str, float]:
    """Give the mean seconds of each method that was timed."""
    found = beside_ours(compare_by_reach(grid, dataset, "seconds", TIMED))
    means = {name: one.values[name].mean() for one in reversed(found) if len(one.values) for name in one.values}
    return {name: means[name] for name in TIMED if name in means}
