"""A picture of what was selected, and what was reconstructed, for features that are the pixels of an image."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tffs.canvas import canvas, write
from tffs.printable import printable


def image_shape(feature_names: Sequence[str]) -> tuple[int, int] | None:
    """Find the image that features named r<row>c<column>, row by row, are the pixels of, if they are."""
    last = re.fullmatch(r"r(\d+)c(\d+)", feature_names[-1])
    if last is None:
        return None
    height, width = int(last.group(1)) + 1, int(last.group(2)) + 1
    expected = [f"r{row}c{column}" for row in range(height) for column in range(width)]
    return (height, width) if list(feature_names) == expected else None


class Pictured(NamedTuple):
    """What a method made of images.

    Attributes:
        label: what the method is called.
        selected: the pixels that it chose.
        images: [images, pixels], reconstructions, or None where it makes none.
        unsure: [images, pixels], their standard deviations, or None where it does not know them.
    """

    label: str
    selected: Sequence[int]
    images: np.ndarray | None = None
    unsure: np.ndarray | None = None


def draw_reconstructions(
    path: str,
    shape: tuple[int, int],
    rows: np.ndarray,
    support: np.ndarray,
    methods: Sequence[Pictured],
    title: str,
) -> None:
    """Draw the support set, originals, what methods made of them, and the pixels they chose in red, into a PNG.

    Args:
        path: the PNG to write.
        shape: height and width of an image.
        rows: [images, pixels], originals.
        support: [support, pixels].
        methods: each has a line of reconstructions, and one of where it is unsure if it knows.
        title: one line above the picture.
    """
    columns = max(len(rows), len(support), 1)
    low, high = float(min(rows.min(), 0.0)), float(max(rows.max(), 1.0))
    lines = [_Line("support", support, low, high), _Line("original", rows, low, high)]
    for method in methods:
        if method.images is None:
            lines[-1] = lines[-1]._replace(chosen=method.selected)
        else:
            lines.append(_Line(method.label, method.images, low, high, method.selected))
        if method.unsure is not None:
            lines.append(_Line("unsure (brighter)", method.unsure, 0.0, float(method.unsure.max()) or 1.0))
    figure = canvas(1.05 * (columns + 1) + 2.2, 1.3 * len(lines) + 0.5)
    axes = figure.subplots(len(lines), columns + 2, squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    level = np.clip((rows.mean(axis=0) - low) / (high - low), 0, 1)
    for own, line in zip(axes, lines, strict=True):
        own[0].text(0.95, 0.5, line.label, ha="right", va="center", transform=own[0].transAxes)
        for axis, image in zip(own[1:-1], line.images, strict=False):
            axis.imshow(image.reshape(shape), cmap="gray", vmin=line.low, vmax=line.high)
        if line.chosen is not None:
            picture = np.repeat(level[:, None], 3, axis=1)
            picture[list(line.chosen)] = (0.9, 0.05, 0.05)
            own[-1].imshow(picture.reshape(*shape, 3))
            own[-1].set_title("chosen", fontsize=9, color=(0.75, 0, 0))
    figure.suptitle(printable(title), fontsize=10, parse_math=False)
    write(figure, path)


class _Line(NamedTuple):
    """Images side by side, from `low` (black) to `high` (white), and the pixels to show in red at their end."""

    label: str
    images: np.ndarray
    low: float
    high: float
    chosen: Sequence[int] | None = None
