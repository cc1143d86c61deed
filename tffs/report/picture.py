"""Figures as SVG that takes its colours from the page."""

import io
import re

import matplotlib as mpl
from matplotlib.figure import Figure

_NOTHING = {"Date": None, "Creator": None, "Type": None, "Format": None}


def as_svg(figure: Figure, name: str) -> str:
    """Give a figure as SVG for a page: text stays text, and the same figure gives the same bytes.

    Args:
        figure: what to draw.
        name: what all its ids begin with, so that a page may hold several.
    """
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata=_NOTHING, transparent=True)
    text = file.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{name}-", text)
    opening, rest = text.split(">", 1)
    opening = re.sub(r' (width|height|xmlns:xlink|version)="[^"]*"', "", opening)
    return f'{opening} aria-hidden="true">{rest}'
