"""Whether a model may be pushed: against absolute bars, and against the model last blessed."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pipelines.configs import Bars

Figures = Mapping[str, Mapping[str, Any]]


def objections(candidate: Figures, last: Figures | None, bars: Bars) -> list[str]:
    """List what speaks against a model, one sentence each; none if it is to be blessed.

    Args:
        candidate: its figures by held-out task.
        last: those of the model last blessed on the same tasks, or None where there is none.
        bars: what it must reach.
    """
    found = []
    for task, figures in candidate.items():
        error = figures["relative_error"]
        if not np.isfinite(figures["msre"]):
            found.append(f"on {task} its MSRE is {figures['msre']}")
            continue
        if error is not None and not error <= bars.max_relative_error:
            found.append(
                f"on {task} its error is {error:.3g} of the mean's, above the bar of "
                f"{bars.max_relative_error:g}"
            )
    distinct = mean_of(candidate, "distinct")
    if distinct < bars.min_distinct:
        found.append(f"it chooses {distinct:.3g} distinct features, below the bar of {bars.min_distinct:g}")
    if last is not None:
        now, before = mean_of(candidate, "msre"), mean_of(last, "msre")
        if not now <= before * (1.0 + bars.max_regression):
            allowed = f" and {bars.max_regression:.3g} of that more" if bars.max_regression else ""
            found.append(f"its MSRE of {now:.6g} is above the {before:.6g} of the model last blessed{allowed}")
    return found


def mean_of(figures: Figures, metric: str) -> float:
    """Give the mean of a metric over tasks."""
    return float(np.mean([task[metric] for task in figures.values()]))
