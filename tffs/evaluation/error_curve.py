"""Draw the error that is left over the number of measured features: on a PNG, into axes, or on a page."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tffs.canvas import FAINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OWN = "#d91a1a"
YARDSTICKS = ("black", "#6a4a9c", "0.45")  # colours of other choices
APART = 0.2  # numbers of features that differ by less of themselves would be written over each other
WRITTEN = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 1000, 2000, 5000, 10000, 20000, 50000)
NAMES = {"greedy": "chosen greedily", "variance": "of highest variance", "random": "at random"}


def draw_error_curve(
    axes: "Axes",
    expected: Mapping[int, float | None] | None = None,
    measured: Sequence[Mapping[str, Any]] = (),
    number: int | None = None,
    suggested: int | None = None,
    expected_label: str = "tffs, expected",
    measured_label: str = "tffs, measured",
) -> None:
    """Draw the curve; every line has a `gid`, by which a page finds it.

    Args:
        axes: to draw into.
        expected: by number of features; that of `measured` if not given.
        measured: what result.json holds of the curve; empty if nothing was measured.
        number: how many are selected, to be marked.
        suggested: how many would be enough, to be marked.
        expected_label: for the legend.
        measured_label: for the legend.
    """
    counts = [point["num_selected"] for point in measured]
    if expected is None:
        expected = {point["num_selected"]: point["expected"] for point in measured}
    if measured:
        low, high = (
            _percent([point.get(name) for point in measured]) for name in ("measured_low", "measured_high")
        )
        if not np.isnan(low).all() and not np.array_equal(low, high):
            label = "most tasks (80 %)"
            axes.fill_between(counts, low, high, color=OWN, alpha=0.15, lw=0, label=label, gid="spread")
        own = _percent([point["measured"] for point in measured])
        axes.plot(counts, own, "-o", color=OWN, label=measured_label, markersize=4, gid="measured")
        if measured[0].get("nothing_known") is not None:
            unknown = _percent([point["nothing_known"] for point in measured])
            axes.plot(counts, unknown, ":", color=OWN, label="measured, nothing known", gid="unknown")
    axes.plot(
        list(expected), _percent(list(expected.values())), "--", color=OWN, label=expected_label, gid="expected"
    )
    names = measured[0]["yardsticks"] if measured else ()
    for place, (name, color) in enumerate(zip(names, YARDSTICKS, strict=False)):
        shares = _percent([point["yardsticks"][name] for point in measured])
        axes.plot(counts, shares, color=color, label=NAMES.get(name, name), gid=f"yardstick-{place}")
    if suggested is not None and suggested != number:
        axes.axvline(suggested, color="0.45", lw=1.0, ls="--", gid="suggested", label=f"suggested: {suggested}")
    if number is not None:
        axes.axvline(number, color=OWN, lw=1.0, gid="number", label="the number chosen")
    axes.set_xscale("symlog", linthresh=3)
    ticks = _ticks(sorted({*expected, *counts}), number)
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0, None)
    axes.set_xlim(0, max(ticks))
    axes.grid(color=FAINT)
    axes.set(xlabel="measured features", ylabel="error left, % (100: answering the average)")
    legend = axes.legend(fontsize=8)
    for handle, line in zip(legend.legend_handles, axes.get_legend_handles_labels()[0], strict=True):
        assert handle is not None
        handle.set_gid(f"key-{line.get_gid()}")


def _percent(shares: Sequence[float | None]) -> np.ndarray:
    return np.asarray([np.nan if share is None else 100.0 * share for share in shares])


def _ticks(counts: Sequence[int], number: int | None) -> list[int]:
    """Choose numbers that are not written over each other: the selected number and the ends in any case."""
    chosen = {counts[0], counts[-1], *(() if number is None else (number,))}
    for count in sorted({*WRITTEN} & {*counts}):
        if all(count <= 3 >= other or abs(count - other) >= APART * max(count, other) for other in chosen):
            chosen.add(count)
    return sorted(chosen)
