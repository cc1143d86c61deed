"""Figures that need no display: start one, and write it."""

import warnings

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tffs.whole_file import replacing

DOTS_PER_INCH = 130
FAINT = "0.85"  # the grey of grid lines


def canvas(width: float, height: float) -> Figure:
    """Start a figure of this size in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write(figure: Figure, path: str, dots_per_inch: int = DOTS_PER_INCH) -> None:
    """Write a figure as a PNG; characters that the font lacks are drawn as boxes, without a warning each."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph ")
        figure.savefig(path, dpi=dots_per_inch, format="png")


def save(figure: Figure, path: str) -> None:
    """Write a figure as a PNG, whole or not at all."""
    with replacing(path) as part:
        write(figure, part)
