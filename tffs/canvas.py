"""What the figures have in common: where they go, and the colour and mark of each method."""

import dataclasses
from typing import Any, NamedTuple

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tffs.whole_file import replacing

DOTS_PER_INCH = 130
FAINT = "0.85"


@dataclasses.dataclass(frozen=True)
class Drawing:
    """A figure that was drawn.

    Attributes:
        path: the PNG.
        caption: what it shows and what is missing from it.
    """

    path: str
    caption: str


class Look(NamedTuple):
    """How a method's curve is drawn."""

    color: str
    marker: str
    line: str
    width: float = 1.3


LOOKS = {
    "ours": Look("#d62728", "o", "-", 2.2),
    "cae_s": Look("#08519c", "s", "-"),
    "cae_t": Look("#4292c6", "v", "--"),
    "cae_st": Look("#6a51a3", "^", "-."),
    "ls_t": Look("#41ab5d", "v", "--"),
    "ls_st": Look("#00592a", "^", "-"),
    "spec_t": Look("#fd8d3c", "v", "--"),
    "spec_st": Look("#8c510a", "^", "-"),
    "random": Look("0.45", ".", ":"),
    "all": Look("0.1", ".", ":"),
}


def canvas(width: float, height: float) -> Figure:
    """Start a figure of this size in inches, without any display."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Any, path: str) -> None:
    """Write a figure as a PNG, whole or not at all."""
    with replacing(path) as part:
        figure.savefig(part, dpi=DOTS_PER_INCH, format="png")
