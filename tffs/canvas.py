"""Start a figure that needs no display."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

FAINT = "0.85"  # the grey of grid lines


def canvas(width: float, height: float) -> Figure:
    """Start a figure of this size in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure
