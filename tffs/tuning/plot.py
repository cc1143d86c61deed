"""A picture of a search: the loss by trial, and against each tuned flag."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from tffs.canvas import FAINT, canvas, write
from tffs.printable import printable
from tffs.tuning.budget import Budget
from tffs.tuning.space import Choices, Range, Space
from tffs.tuning.trial import DEFAULT, Row, best_of

COLUMNS = 4
FULL, BEST, SHORT, OWN = "#4292c6", "#d62728", "0.6", "0.1"
WORST = 90  # percentile of the losses that the axis shows at least; what is worse sits at its upper edge


def draw(path: str, rows: Sequence[Row], space: Space, budget: Budget, loss_name: str, title: str) -> None:
    """Draw a search into a PNG.

    Args:
        path: the PNG to write.
        rows: all trials that have ended; those that failed are left out.
        space: what was tuned.
        budget: of the search; shorter trainings are drawn small and grey.
        loss_name: what the validation loss is called.
        title: one line above the picture.
    """
    measured = [row for row in rows if row.figures is not None]
    trials = [row for row in measured if row.trial != DEFAULT]
    default = next((row for row in measured if row.trial == DEFAULT), None)
    best = best_of(rows, budget.steps)
    height = math.ceil((len(space) + 1) / COLUMNS)
    figure = canvas(3.1 * COLUMNS, 2.7 * height + 0.5)
    axes = figure.subplots(height, COLUMNS, sharey=True, squeeze=False)
    low, high = _limits([row.loss for row in measured])
    panels = iter(axes.flat)
    by_trial = next(panels)
    _scatter(by_trial, trials, [float(number) for number in range(1, len(trials) + 1)], budget, best, high)
    _running_best(by_trial, trials, budget)
    by_trial.set_xlabel("trial, in the order they began")
    for part in space:
        axis = next(panels)
        places = _places(axis, part, [row.flags[part.flag] for row in trials])
        _scatter(axis, trials, places, budget, best, high)
        if default is not None:
            place = _places(axis, part, [default.flags[part.flag]])[0]
            if not math.isnan(place):
                axis.plot([place], [default.loss], "D", color=OWN, markersize=6, zorder=4)
        axis.set_xlabel(part.flag)
    for axis in panels:
        axis.axis("off")
    for axis in list(axes.flat)[: len(space) + 1]:
        axis.grid(color=FAINT, linewidth=0.6)
        axis.set_axisbelow(True)
        axis.set_ylim(low, high)
        if default is not None:
            axis.axhline(default.loss, color=OWN, linestyle="--", linewidth=1.0)
    for line in axes:
        line[0].set_ylabel(f"validation {loss_name}")
    figure.suptitle(printable(title), fontsize=10, parse_math=False)
    short = any(row.steps < budget.steps for row in trials)
    _legend(figure, default is not None, short, any(row.loss > high for row in trials))
    write(figure, path, 110)


def _limits(losses: list[float]) -> tuple[float, float]:
    if not losses:
        return 0.0, 1.0
    low, high = min(losses), float(np.percentile(losses, WORST))
    room = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room


def _places(axis: Any, part: Range | Choices, values: list[Any]) -> list[float]:
    """Set up the horizontal axis of a flag, and give where values are on it; NaN for those not on it."""
    if isinstance(part, Choices):
        axis.set_xticks(range(len(part.choices)), [str(choice) for choice in part.choices])
        axis.set_xlim(-0.6, len(part.choices) - 0.4)
        return [float(part.choices.index(value)) if value in part.choices else math.nan for value in values]
    if part.scale == "log":
        axis.set_xscale("log")
        decades = math.log10(part.high / part.low)
        axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 2.0 else (1.0,)))
        axis.xaxis.set_major_formatter(lambda value, position: f"{value:g}")
        axis.xaxis.set_minor_formatter(NullFormatter())
    return [float(value) for value in values]


def _scatter(
    axis: Any, trials: Sequence[Row], places: list[float], budget: Budget, best: Row | None, high: float
) -> None:
    for row, place in zip(trials, places, strict=True):
        full = row.steps == budget.steps
        color = BEST if row is best else FULL if full else SHORT
        beyond = row.loss > high
        axis.plot(
            [place],
            [high if beyond else row.loss],
            "^" if beyond else "o",
            color=color,
            markersize=(8 if row is best else 6) if full else 3.5,
            clip_on=not beyond,
            zorder=5 if row is best else 3 if full else 2,
        )


def _running_best(axis: Any, trials: Sequence[Row], budget: Budget) -> None:
    losses = np.asarray([row.loss if row.steps == budget.steps else math.inf for row in trials])
    lowest = np.minimum.accumulate(losses) if len(losses) else losses
    lowest = np.where(np.isfinite(lowest), lowest, math.nan)
    axis.step(np.arange(1, len(lowest) + 1), lowest, where="post", color=BEST, linewidth=1.0)


def _legend(figure: Any, default: bool, short: bool, worse: bool) -> None:
    marks = [("o", FULL, "full length"), ("o", BEST, "best")]
    if short:
        marks.append((".", SHORT, "shortened"))
    if default:
        marks.append(("D", OWN, "default"))
    if worse:
        marks.append(("^", FULL, "worse than shown"))
    handles = [
        Line2D([], [], linestyle="", marker=marker, color=color, label=label) for marker, color, label in marks
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=9)
