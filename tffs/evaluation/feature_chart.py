"""A picture of how well each feature is known from the chosen ones."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes

from tffs.canvas import canvas, write
from tffs.printable import printable

MOST_BARS = 40
CHOSEN, OTHER = (0.85, 0.1, 0.1), (0.35, 0.5, 0.65)


def feature_errors(pairs: Iterable[tuple[np.ndarray, np.ndarray]], source_mean: np.ndarray) -> np.ndarray:
    """Give each feature's squared error as a share of that of always answering the source mean.

    Args:
        pairs: rows [rows, features] and their reconstructions, a batch at a time.
        source_mean: [features].

    Returns:
        float64 [features]; NaN where the mean makes no error.
    """
    error, by_mean = np.zeros(len(source_mean)), np.zeros(len(source_mean))
    for rows, reconstructions in pairs:
        error += np.square(rows - reconstructions).sum(axis=0, dtype=np.float64)
        by_mean += np.square(rows - source_mean).sum(axis=0, dtype=np.float64)
    return np.divide(error, by_mean, out=np.full_like(error, np.nan), where=by_mean > 0)


def draw_feature_errors(
    path: str, names: Sequence[str], errors: np.ndarray, selected: Sequence[int], title: str
) -> None:
    """Draw how well features are known into a PNG, the chosen ones in red.

    A bar stands for each feature, the least known at the bottom. Of many features, the chosen and the least
    known ones have bars, and a curve above them shows all.

    Args:
        path: the PNG to write.
        names: one a feature.
        errors: [features] shares, as `feature_errors` gives them; features without a finite one are left out.
        selected: the chosen features.
        title: one line above the picture.
    """
    order = np.argsort(errors, kind="stable")
    order = order[np.isfinite(errors[order])]
    chosen = set(selected)
    bars = _with_bars(order, chosen)
    constant, infinite = int(np.isnan(errors).sum()), int(np.isinf(errors).sum())
    if constant:
        title += f" ({constant} constant in the task's rows, not shown)"
    if infinite:
        title += f" ({infinite} with more error than numbers hold, not shown)"
    height = 1.2 + 0.24 * max(len(bars), 1)
    if len(bars) == len(order):
        figure = canvas(8.0, height)
        axis = figure.subplots()
    else:
        figure = canvas(8.0, height + 2.6)
        curve, axis = figure.subplots(2, height_ratios=(2.6, height))
        _draw_curve(curve, errors[order], np.isin(order, list(chosen)))
        axis.set_title(f"the chosen features and the {len(bars) - len(chosen)} known least", fontsize=9)
    shown = [printable(names[feature])[:40] for feature in bars]
    _draw_bars(axis, shown, errors[bars], np.isin(bars, list(chosen)))
    figure.suptitle(printable(title), fontsize=9, parse_math=False)
    write(figure, path, 110)


def _with_bars(order: np.ndarray, chosen: set[int]) -> np.ndarray:
    """Take the features that have bars: all, or the chosen ones and the least known of the others."""
    if len(order) <= MOST_BARS:
        return order
    others = [feature for feature in order if feature not in chosen]
    kept = chosen | set(others[len(others) - max(MOST_BARS - len(chosen), 0) :])
    return np.asarray([feature for feature in order if feature in kept][:MOST_BARS])


def _draw_curve(axis: Axes, errors: np.ndarray, chosen: np.ndarray) -> None:
    """Draw the errors of all features, lowest first, and say where most of the others lie."""
    shares, places = 100.0 * errors, np.arange(1, len(errors) + 1)
    axis.plot(places, shares, color=OTHER)
    axis.plot(places[chosen], shares[chosen], "o", color=CHOSEN, markersize=4)
    half, most = np.percentile(shares[~chosen], (50, 90))
    axis.set_title(
        f"all {len(errors)} features, best known first (red: chosen)\n"
        f"of the others, half have at most {half:.0f} % of their error left, and 90 % at most {most:.0f} %",
        fontsize=9,
    )
    axis.set_xlim(0, len(errors) + 1)
    axis.set_ylim(0, max(float(shares.max()) * 1.08, 1.0))
    axis.set_ylabel("error left, %")


def _draw_bars(axis: Axes, names: Sequence[str], errors: np.ndarray, chosen: np.ndarray) -> None:
    shares = 100.0 * errors
    axis.barh(np.arange(len(names)), shares, color=[CHOSEN if red else OTHER for red in chosen])
    axis.set_yticks(np.arange(len(names)), names, parse_math=False)
    for label, red in zip(axis.get_yticklabels(), chosen, strict=True):
        label.set_color(CHOSEN if red else "black")
    axis.invert_yaxis()
    axis.set_xlim(0, max(float(shares.max(initial=0.0)) * 1.08, 1.0))
    axis.set_xlabel("error left, % of answering the source tasks' mean (red: chosen)")
