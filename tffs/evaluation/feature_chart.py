"""A picture of how well each feature is known from the chosen ones."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

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
    """Draw one bar a feature into a PNG, the chosen ones in red, the least known at the bottom.

    Args:
        path: the PNG to write.
        names: one a feature.
        errors: [features] shares, as `feature_errors` gives them; features without one are left out.
        selected: the chosen features.
        title: one line above the picture.
    """
    order = np.argsort(errors, kind="stable")
    order = order[~np.isnan(errors[order])]
    chosen = set(selected)
    if len(order) > MOST_BARS:  # all chosen ones, and of the others those that are known least
        others = [feature for feature in order if feature not in chosen]
        kept = chosen | set(others[len(others) - max(MOST_BARS - len(chosen), 0) :])
        order = np.asarray([feature for feature in order if feature in kept][:MOST_BARS])
    figure = Figure(figsize=(8.0, 1.2 + 0.24 * max(len(order), 1)), layout="constrained")
    FigureCanvasAgg(figure)
    axis = figure.subplots()
    shares = 100.0 * errors[order]
    colors = [CHOSEN if feature in chosen else OTHER for feature in order]
    axis.barh(np.arange(len(order)), shares, color=colors)
    axis.set_yticks(np.arange(len(order)), [names[feature][:40] for feature in order], parse_math=False)
    for label, color in zip(axis.get_yticklabels(), colors, strict=True):
        label.set_color(CHOSEN if color == CHOSEN else "black")
    axis.invert_yaxis()
    axis.set_xlim(0, max(float(shares.max(initial=0.0)) * 1.08, 1.0))
    axis.set_xlabel("error left, % of answering the source tasks' mean (red: chosen)")
    left_out = len(names) - len(order)
    axis.set_title(
        title + (f" ({left_out} features not shown)" if left_out else ""), fontsize=9, parse_math=False
    )
    figure.savefig(path, dpi=110, format="png")
