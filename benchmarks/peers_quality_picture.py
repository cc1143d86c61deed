"""Draw how far the peers are from the posterior."""

import pathlib

import pandas as pd
from matplotlib.ticker import LogLocator, NullLocator

from benchmarks.peers_quality_ahead import CELL, CLOSED, POSTERIOR, best_variants
from tffs.canvas import FAINT, canvas, save

MARKS = "osD^v<>Ph*X"
APART = 0.6  # between the marks of the first and the last method of a table, of the space that it has


def draw(lines: pd.DataFrame, names: dict[str, str], path: pathlib.Path) -> None:
    """Draw the error of every method with its own decoder, as a multiple of the posterior's, K by K.

    Args:
        lines: of the part `choosing`.
        names: of the tables, as a person reads them.
        path: of the PNG file.
    """
    tables = list(dict.fromkeys(lines.table))
    counts = sorted(lines.K.unique())
    methods = [method for method in dict.fromkeys(lines.method) if method not in (POSTERIOR, CLOSED)]
    figure = canvas(3.2 * len(counts) + 1.0, 0.55 * len(tables) + 1.6)
    panels = figure.subplots(1, len(counts), sharey=True, squeeze=False)[0]
    for panel, count in zip(panels, counts, strict=True):
        for number, (mark, method) in enumerate(zip(MARKS, methods, strict=False)):
            apart = APART * (number / max(len(methods) - 1, 1) - 0.5)
            places, ratios = [], []
            for place, table in enumerate(tables):
                ratio = _ratio(lines[(lines.table == table) & (count == lines.K)], method)
                if ratio is not None:
                    places.append(place + apart)
                    ratios.append(ratio)
            panel.plot(ratios, places, mark, markersize=5, alpha=0.8, label=method)
        panel.axvline(1.0, color="black", linewidth=1.0)
        panel.set(xscale="log", title=f"K = {count}", yticks=range(len(tables)))
        panel.set_yticklabels([names[table] for table in tables])
        panel.grid(color=FAINT, axis="both")
        panel.set_axisbelow(True)
        panel.xaxis.set(major_locator=LogLocator(2.0), major_formatter="{x:g}", minor_locator=NullLocator())
    panels[0].invert_yaxis()
    figure.supxlabel("error with its own decoder, divided by the posterior's (left of 1: the peer is ahead)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, fontsize="small")
    save(figure, str(path))


def _ratio(lines: pd.DataFrame, method: str) -> float | None:
    """Compare mean errors on the cells that both have."""
    own, ours = lines[lines.method == method], lines[lines.method == POSTERIOR].set_index(CELL).own
    if own.empty or ours.empty:
        return None
    theirs = best_variants(own, "own").set_index(CELL).own
    return float(theirs.mean() / ours.loc[theirs.index].mean())
