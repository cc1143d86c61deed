"""A map of features that are pixels: which are to be measured, and how well the others are known."""

import numpy as np
from matplotlib.patches import Rectangle

from tffs.canvas import canvas
from tffs.evaluation.picture import image_shape
from tffs.report.features import Features
from tffs.report.picture import as_svg
from tffs.report.subject import Subject

OWN = "#b3261e"  # as `--own` in look.css
MOST_NUMBERED = 60  # more numbers would be written over each other


def pixels(subject: Subject, known: Features | None) -> str:
    """Draw the map as SVG; empty where features are no pixels.

    Args:
        subject: what the page is about.
        known: how well each feature is known.
    """
    names = subject.description.feature_names
    shape = image_shape(names)
    if shape is None or subject.chosen is None or known is None:
        return ""
    shares = {line.name: line.bar / 100.0 for line in known.lines}
    left = np.asarray([shares.get(name, 0.0) for name in names])
    chosen = subject.chosen["index"].head(subject.number).tolist()
    left[chosen] = 0.0
    figure = canvas(4.2, 4.2 * shape[0] / shape[1])
    axes = figure.subplots()
    axes.imshow(left.reshape(shape), cmap="Greys", vmin=0.0, vmax=1.0)
    axes.set_axis_off()
    for place, pixel in enumerate(chosen, start=1):
        row, column = divmod(pixel, shape[1])
        corner = (column - 0.5, row - 0.5)
        axes.add_patch(Rectangle(corner, 1.0, 1.0, facecolor=OWN, edgecolor="white", linewidth=0.5))
        if len(chosen) <= MOST_NUMBERED:
            axes.text(column, row, str(place), ha="center", va="center", color="white", fontsize=8)
    return as_svg(figure, "pixels")
