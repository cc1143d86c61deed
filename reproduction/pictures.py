"""Test images of a held-out rotation and what each method makes of them: the paper's pictures of MNIST-r."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from reproduction import paper
from reproduction.names import dataset_name, method
from tffs.canvas import canvas
from tffs.whole_file import replacing

DOTS_PER_INCH = 130
RED = (0.9, 0.05, 0.05)
FEW = 3
CELL = ("support_size", "num_selected", "split", "target_task")

Picture = dict[str, Any]  # a line of <name>.pictures.jsonl


def choose_pictures(pictures: Sequence[Picture], dataset: str = "mnist_r") -> list[Picture]:
    """Take the pictures of one cell, in the methods' order, whose originals are the same images."""
    by_cell: dict[tuple, list[Picture]] = {}
    for picture in pictures:
        if picture["dataset"] == dataset and picture["method"] in paper.MSRE:
            by_cell.setdefault(tuple(picture[key] for key in CELL), []).append(picture)
    most = max(by_cell.values(), key=len, default=[])
    ordered = sorted(most, key=lambda picture: list(paper.MSRE).index(picture["method"]))
    return [picture for picture in ordered if picture["originals"] == ordered[0]["originals"]]


def draw_few(pictures: Sequence[Picture], path: str) -> str | None:
    """Draw three digits and the chosen pixels in red for the original and each method, in squares of four.

    Returns:
        The caption; None where there are no pictures.
    """
    if not pictures:
        return None
    originals = np.asarray(pictures[0]["originals"])
    chosen = sorted({round(number) for number in np.linspace(0, len(originals) - 1, min(FEW, len(originals)))})
    figure = canvas(2.1 * (1 + len(pictures)), 2.25)
    parts: Any = figure.subfigures(1, 1 + len(pictures), wspace=0.1)
    for part, (title, images) in zip(parts, _rows(pictures), strict=True):
        part.suptitle(title, fontsize=11)
        axes = part.subplots(2, 2, gridspec_kw={"wspace": 0.03, "hspace": 0.03})
        for axis, number in zip(axes.flat, chosen, strict=False):
            _show(axis, images[number], pictures[0]["shape"])
        for axis in axes.flat[len(chosen) :]:
            axis.set_axis_off()
        part.last = axes[1, 1]
    for part, picture in zip(parts[1:], pictures, strict=True):
        part.last.set_axis_on()
        colored = np.repeat(np.clip(originals.mean(axis=0), 0.0, 1.0)[:, None], 3, axis=1)
        colored[picture["selected_indices"]] = RED
        _show(part.last, colored, (*picture["shape"], 3))
    save(figure, path)
    return (
        f"{_about(pictures[0])} Three of the test images, and at the lower right the chosen pixels in red on the "
        "mean of the images."
    )


def draw_all(pictures: Sequence[Picture], path: str) -> str | None:
    """Draw one test image of each digit: a row of originals and a row a method.

    Returns:
        The caption; None where there are no pictures.
    """
    if not pictures:
        return None
    labels, rows = pictures[0]["labels"], _rows(pictures)
    figure = canvas(0.85 * len(labels) + 1.2, 0.88 * len(rows) + 0.3)
    axes = figure.subplots(len(rows), len(labels), squeeze=False)
    for line, (title, images) in zip(axes, rows, strict=True):
        line[0].set_ylabel(title, rotation=0, ha="right", va="center", fontsize=11, labelpad=8)
        for axis, image in zip(line, images, strict=True):
            _show(axis, image, pictures[0]["shape"])
    for axis, label in zip(axes[0], labels, strict=True):
        axis.set_title(str(label), fontsize=10)
    save(figure, path)
    return _about(pictures[0])


def save(figure: Figure, path: str) -> None:
    """Write a figure as a PNG, whole or not at all."""
    with replacing(path) as part:
        figure.savefig(part, dpi=DOTS_PER_INCH, format="png")


def _rows(pictures: Sequence[Picture]) -> list[tuple[str, Any]]:
    """Give the originals and each method's reconstructions, with their titles."""
    methods = [(method(picture["method"]).title, picture["reconstructions"]) for picture in pictures]
    return [("Original", pictures[0]["originals"]), *methods]


def _show(axis: Any, image: Any, shape: Sequence[int]) -> None:
    axis.imshow(np.reshape(image, shape), cmap="gray", vmin=0.0, vmax=1.0)
    axis.set_xticks([])
    axis.set_yticks([])


def _about(picture: Picture) -> str:
    return (
        f"Test images of the held-out task {picture['target_task']} of {dataset_name(picture['dataset'])} and "
        f"their reconstructions: N_S = {picture['support_size']}, K = {picture['num_selected']}, split "
        f"{picture['split']}."
    )
