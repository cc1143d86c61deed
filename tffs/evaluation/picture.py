"""A picture of what was selected, and what was reconstructed, for features that are the pixels of an image."""

import re
from collections.abc import Sequence

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


def draw_reconstructions(
    path: str,
    shape: tuple[int, int],
    rows: np.ndarray,
    reconstructions: np.ndarray | None,
    support: np.ndarray,
    selected: Sequence[int],
    title: str,
) -> None:
    """Draw the support set, originals over any reconstructions, and the chosen pixels in red, into a PNG.

    Args:
        path: the PNG to write.
        shape: height and width of an image.
        rows: [images, pixels], originals.
        reconstructions: [images, pixels], or None where nothing is reconstructed.
        support: [support, pixels].
        selected: the chosen pixels.
        title: one line above the picture.
    """
    columns = max(len(rows), len(support), 1)
    lines = {"support": support, "original": rows}
    if reconstructions is not None:
        lines["reconstructed"] = reconstructions
    figure = canvas(1.05 * columns + 2.2, 4.4 if len(lines) == 3 else 3.1)
    axes = figure.subplots(len(lines), columns + 1, squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    low, high = float(min(rows.min(), 0.0)), float(max(rows.max(), 1.0))
    for line, (label, images) in enumerate(lines.items()):
        axes[line, 0].text(0.95, 0.5, label, ha="right", va="center", transform=axes[line, 0].transAxes)
        for axis, image in zip(axes[line, 1:], images, strict=False):
            axis.imshow(image.reshape(shape), cmap="gray", vmin=low, vmax=high)
    chosen = axes[0, -1] if len(support) < columns else axes[0, 0]
    mean = rows.mean(axis=0).reshape(shape)
    level = np.clip((mean - low) / (high - low), 0, 1)
    picture = np.repeat(level[:, :, None], 3, axis=2)
    picture.reshape(-1, 3)[list(selected)] = (0.9, 0.05, 0.05)
    chosen.imshow(picture)
    chosen.set_title("chosen", fontsize=9, color=(0.75, 0, 0))
    figure.suptitle(printable(title), fontsize=10, parse_math=False)
    write(figure, path)
