"""Pictures of what was measured on tasks that a posterior has not seen."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tffs.canvas import FAINT, canvas, write
from tffs.evaluation.feature_chart import draw_feature_errors
from tffs.printable import printable

CURVE = "curve.png"
OWN = "#d91a1a"
APART = 0.2  # numbers of features that differ by less of themselves would be written over each other
OFTEN = 0.5  # a feature that is chosen for more than this share of the tasks is drawn as chosen


def draw_curve(path: str, curve: Sequence[dict[str, Any]], where: str) -> None:
    """Draw the error that is left over the number of measured features, into a PNG.

    Args:
        path: the PNG to write.
        curve: what result.json holds of it.
        where: which tasks it is of.
    """
    figure = canvas(7.0, 4.2)
    axis = figure.subplots()
    counts = [point["num_selected"] for point in curve]
    lines: dict[str, tuple[list[Any], str, str]] = {
        "tffs, measured": ([point["measured"] for point in curve], "-o", OWN),
        "tffs, expected": ([point["expected"] for point in curve], "--", OWN),
    }
    for name, color in zip(curve[0]["yardsticks"], ("black", "0.45", "0.7"), strict=False):
        lines[name] = ([point["yardsticks"][name] for point in curve], "-", color)
    for name, (shares, style, color) in lines.items():
        values = [np.nan if share is None else 100.0 * share for share in shares]
        axis.plot(counts, values, style, color=color, label=name, markersize=4)
    axis.set_xscale("symlog", linthresh=3)
    ticks = [count for count, after in itertools.pairwise(counts) if after - count >= APART * count]
    ticks.append(counts[-1])
    axis.set_xticks(ticks, [str(count) for count in ticks])
    axis.minorticks_off()
    axis.set_ylim(0, None)
    axis.grid(color=FAINT)
    axis.set_xlabel("measured features")
    axis.set_ylabel("error left, % of answering the source mean")
    axis.legend(fontsize=8)
    figure.suptitle(printable(where), fontsize=9, parse_math=False)
    write(figure, path)


def draw_features(path: str, features: Sequence[dict[str, Any]], where: str) -> None:
    """Draw how well each feature is known where it is not measured, into a PNG; those chosen often are known.

    Args:
        path: the PNG to write.
        features: what result.json holds of them.
        where: which tasks it is of.
    """
    chosen = [place for place, line in enumerate(features) if line["chosen"] > OFTEN]
    errors = [np.nan if line["share"] is None else line["share"] for line in features]
    for place in chosen:
        errors[place] = 0.0
    names = [line["feature"] for line in features]
    draw_feature_errors(path, names, np.asarray(errors), chosen, where)
