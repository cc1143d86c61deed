"""Test images of a held-out rotation and what each method makes of them: the paper's pictures of MNIST-r."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tffs.tables.drawing import Drawing, canvas, save
from tffs.tables.names import RECONSTRUCTING, dataset_name, joined, method_name
from tffs.tables.records import Picture

RED = (0.9, 0.05, 0.05)
FEW = 3


def choose_pictures(pictures: Sequence[Picture], dataset: str = "mnist_r") -> list[Picture]:
    """Take the pictures of one cell, in the methods' order, whose originals are the same images."""
    by_cell: dict[tuple, list[Picture]] = {}
    for picture in pictures:
        if picture.cell[0] == dataset and picture.method in RECONSTRUCTING:
            by_cell.setdefault((picture.cell, picture.target_task), []).append(picture)
    if not by_cell:
        return []
    most = max(by_cell.values(), key=len)
    ordered = sorted(most, key=lambda picture: RECONSTRUCTING.index(picture.method))
    return [picture for picture in ordered if picture.originals == ordered[0].originals]


def draw_few(pictures: Sequence[Picture], path: str) -> Drawing | None:
    """Draw three digits and the chosen pixels in red for the original and each method, in squares of four."""
    if not pictures:
        return None
    chosen = _spread(len(pictures[0].labels))
    panels = 1 + len(pictures)
    figure = canvas(2.1 * panels, 2.25)
    parts: Any = figure.subfigures(1, panels, wspace=0.1)
    for part, picture in zip(parts, (None, *pictures), strict=True):
        part.suptitle("Original" if picture is None else method_name(picture.method), fontsize=11)
        axes = part.subplots(2, 2, gridspec_kw={"wspace": 0.03, "hspace": 0.03})
        images = pictures[0].originals if picture is None else picture.reconstructions
        for axis, number in zip(axes.flat, chosen, strict=False):
            _show(axis, images[number], pictures[0].shape)
        for axis in axes.flat[len(chosen) :]:
            axis.set_axis_off()
        if picture is not None:
            _show_selected(axes[1, 1], picture)
    save(figure, path)
    return Drawing(
        path,
        f"{_about(pictures)} Three of the test images, and at the lower right the chosen pixels in red on the "
        f"mean of the images.{_missing(pictures)}",
    )


def draw_all(pictures: Sequence[Picture], path: str) -> Drawing | None:
    """Draw one test image of each digit: a row of originals and a row a method."""
    if not pictures:
        return None
    first = pictures[0]
    rows = [("Original", first.originals)]
    rows += [(method_name(picture.method), picture.reconstructions) for picture in pictures]
    figure = canvas(0.85 * len(first.labels) + 1.2, 0.88 * len(rows) + 0.3)
    axes = figure.subplots(len(rows), len(first.labels), squeeze=False)
    for line, (name, images) in zip(axes, rows, strict=True):
        line[0].set_ylabel(name, rotation=0, ha="right", va="center", fontsize=11, labelpad=8)
        for axis, image in zip(line, images, strict=True):
            _show(axis, image, first.shape)
    for axis, label in zip(axes[0], first.labels, strict=True):
        axis.set_title(str(label), fontsize=10)
    save(figure, path)
    return Drawing(path, f"{_about(pictures)}{_missing(pictures)}")


def _show(axis: Any, image: Sequence[float], shape: tuple[int, int]) -> None:
    axis.imshow(np.reshape(image, shape), cmap="gray", vmin=0.0, vmax=1.0)
    axis.set_xticks([])
    axis.set_yticks([])


def _show_selected(axis: Any, picture: Picture) -> None:
    mean = np.clip(np.mean(picture.originals, axis=0), 0.0, 1.0)
    colored = np.repeat(mean[:, None], 3, axis=1)
    colored[picture.selected] = RED
    axis.imshow(colored.reshape(*picture.shape, 3))
    axis.set_xticks([])
    axis.set_yticks([])


def _spread(count: int) -> list[int]:
    """Choose a few images, evenly among all."""
    return sorted({round(number) for number in np.linspace(0, count - 1, min(FEW, count))})


def _about(pictures: Sequence[Picture]) -> str:
    dataset, support_size, num_selected, split = pictures[0].cell
    return (
        f"Test images of the held-out task {pictures[0].target_task} of {dataset_name(dataset)} and their "
        f"reconstructions: N_S = {support_size}, K = {num_selected}, split {split}."
    )


def _missing(pictures: Sequence[Picture]) -> str:
    there = [picture.method for picture in pictures]
    missing = [method_name(method) for method in RECONSTRUCTING if method not in there]
    return f" There are no pictures of {joined(missing)}." if missing else ""
