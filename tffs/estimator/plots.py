"""Pictures of a fitted selector, drawn into axes as scikit-learn's displays are."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from tffs.evaluation.error_curve import OWN, draw_error_curve
from tffs.evaluation.left_out.pictures import OFTEN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 40
MOST_PERCENT = 150.0  # a bar beyond is cut off: rare features may have shares of thousands


def error_curve(
    ax: "Axes | None", expected: pd.Series, number: int, rows: int, facts: Mapping[str, Any] | None
) -> "Axes":
    """Draw the error that is left over the number of measured features.

    Args:
        ax: to draw into; a new one if not given.
        expected: by number of features, 0 first.
        number: how many are selected.
        rows: how many of the task are known.
        facts: what result.json holds of tasks that were left out, or None.
    """
    ax = _axes(ax)
    measured, known = (), 0
    if facts is not None:
        measured, known = facts["curve"], max(task["support_rows"] for task in facts["tasks"])
    draw_error_curve(
        ax,
        dict(expected),
        measured,
        number,
        expected_label=f"expected, {rows} rows known",
        measured_label=f"measured on tasks left out, {known} rows known",
    )
    return ax


def features(ax: "Axes | None", errors: pd.DataFrame) -> "Axes":
    """Draw the share of each feature's variation that is left, the largest first; of many the worst.

    Args:
        ax: to draw into; a new one if not given.
        errors: `FewShotFeatureSelector.feature_errors_`.
    """
    ax = _axes(ax)
    often = errors["chosen"] > OFTEN
    left = errors["share"].where(~often, 0.0).fillna(0.0)
    shown = left.sort_values(ascending=False, kind="stable").head(MOST_BARS)[::-1]
    colors = [OWN if often[name] else "0.6" for name in shown.index]
    ax.barh(range(len(shown)), 100.0 * shown, color=colors)
    ax.set_xlim(0.0, min(105.0 * max(shown.max(), 0.01), MOST_PERCENT))
    ax.set_yticks(range(len(shown)), [str(name) for name in shown.index], parse_math=False, fontsize=7)
    for label, name in zip(ax.get_yticklabels(), shown.index, strict=True):
        label.set_color(OWN if often[name] else "black")
    more = f"; the worst {len(shown)} of {len(left)}" if len(shown) < len(left) else ""
    ax.set(xlabel=f"error left, % (red: measured for most tasks{more})")
    return ax


def _axes(ax: "Axes | None") -> "Axes":
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots()
    return ax
