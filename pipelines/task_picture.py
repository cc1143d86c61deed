"""A picture of an evaluation: error and coverage of each task, beside those of the model last blessed."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from pipelines.blessing import COVERED, Evidence, Figures, Standing, counted
from tffs.canvas import FAINT, canvas, save
from tffs.printable import printable

MOST = 30  # tasks of a kind that are drawn: those of the largest errors
THIS, LAST = "C0", "0.55"  # colours


def draw(path: str, candidate: Evidence | None, last: Evidence | None) -> None:
    """Draw the tasks, the held-out ones first, as a PNG; without a candidate, a page that says so."""
    if candidate is None:
        figure = canvas(6.0, 1.2)
        figure.text(0.5, 0.5, "The model was not measured: see report.md.", ha="center", va="center")
        save(figure, path)
        return
    kinds: list[tuple[str, Figures, Figures | None]] = [
        ("task held out", candidate.held_out, None if last is None else last.held_out)
    ]
    if candidate.left_out is not None:
        then = None if last is None or last.left_out is None else last.left_out.tasks
        kinds.append(("source task left out in turn", candidate.left_out.tasks, then))
    shown = [_worst(figures) for _, figures, _ in kinds]
    figure = canvas(8.5, 1.4 + sum(0.6 + 0.24 * len(names) for names in shown))
    grid = figure.subplots(
        len(kinds),
        2,
        squeeze=False,
        sharex="col",
        gridspec_kw={"height_ratios": [len(names) + 1 for names in shown], "width_ratios": [3, 2]},
    )
    for (error, coverage), names, (title, figures, before) in zip(grid, shown, kinds, strict=True):
        some = f", the worst {len(names)}" if len(names) < len(figures) else ""
        error.set_title(f"{counted(len(figures), title)}{some}", fontsize=9, loc="left")
        for axes, metric, line in ((error, "relative_error", 1.0), (coverage, "coverage", COVERED)):
            _dots(axes, names, before or {}, metric, LAST, "the model last blessed", 28)
            _dots(axes, names, figures, metric, THIS, "this model", 40)
            axes.axvline(line, color="black", linewidth=1, linestyle=":")
            axes.set_yticks(range(len(names)), [])
            axes.set_ylim(len(names) - 0.4, -0.6)
            axes.grid(color=FAINT, axis="y")
            axes.set_axisbelow(True)
        error.set_yticklabels([printable(name) for name in names], parse_math=False)
        standing = Standing.on(figures)
        if standing.error is not None:
            error.axvline(standing.error, color=THIS, linewidth=1)
        if standing.coverage is None:
            coverage.set_title("this model gives no intervals", fontsize=9, loc="left")
        else:
            coverage.axvline(standing.coverage, color=THIS, linewidth=1)
    bottom = grid[-1]
    bottom[0].set_xlim(left=0.0)
    bottom[1].set_xlim(right=1.01)
    bottom[0].set_xlabel("error as a share of the mean's (line: median; lower is better)")
    bottom[1].set_xlabel("values in their 90 % intervals (line: mean)")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    save(figure, path)


def _worst(figures: Figures) -> list[str]:
    """Name the tasks of the largest errors, in the order in which they are given."""
    errors = {name: _number(one["relative_error"]) for name, one in figures.items()}
    worst = set(sorted(errors, key=lambda name: -np.nan_to_num(errors[name], nan=-1.0))[:MOST])
    return [name for name in figures if name in worst]


def _dots(
    axes: Axes, names: Sequence[str], figures: Figures, metric: str, colour: str, label: str, size: float
) -> None:
    """Draw a figure of each task that has it."""
    places = [place for place, name in enumerate(names) if name in figures]
    values = [_number(figures[names[place]].get(metric)) for place in places]
    if not np.isnan(values).all():
        axes.scatter(values, places, size, color=colour, label=label, clip_on=False, zorder=3)


def _number(value: float | None) -> float:
    return np.nan if value is None else value
