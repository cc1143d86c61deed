"""Test images of a held-out rotation and what each method makes of them: the paper's pictures of MNIST-r."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reproduction import paper
from reproduction.names import dataset_name, method
from tffs.canvas import canvas, save

RED = (0.9, 0.05, 0.05)
PICTURED = ("posterior", *paper.MSRE)
CELL = ("support_size", "num_selected", "split", "target_task")

Picture = dict[str, Any]  # a line of <name>.pictures.jsonl


def choose_pictures(pictures: Sequence[Picture], dataset: str = "mnist_r") -> list[Picture]:
    """Take the pictures of one cell, in the methods' order, whose originals are the same images."""
    by_cell: dict[tuple, list[Picture]] = {}
    for picture in pictures:
        if picture["dataset"] == dataset and picture["method"] in PICTURED:
            by_cell.setdefault(tuple(picture[key] for key in CELL), []).append(picture)
    most = max(by_cell.values(), key=len, default=[])
    ordered = sorted(most, key=lambda picture: PICTURED.index(picture["method"]))
    return [picture for picture in ordered if picture["originals"] == ordered[0]["originals"]]


def draw_digits(pictures: Sequence[Picture], path: str) -> str | None:
    """Draw a test image of each digit: a row of originals, and a row a method that ends with the chosen pixels.

    Returns:
        The caption; None where there are no pictures.
    """
    pictures = choose_pictures(pictures)
    if not pictures:
        return None
    first = pictures[0]
    titles = ["Original", *(method(picture["method"]).title for picture in pictures)]
    rows = [first["originals"], *(picture["reconstructions"] for picture in pictures)]
    figure = canvas(0.85 * (1 + len(first["labels"])) + 1.2, 0.88 * len(rows) + 0.3)
    axes = figure.subplots(len(rows), 1 + len(first["labels"]), squeeze=False)
    for axis in axes.flat:
        axis.set(xticks=[], yticks=[])
    for line, title, images in zip(axes, titles, rows, strict=True):
        line[0].set_ylabel(title, rotation=0, ha="right", va="center", fontsize=11, labelpad=8)
        for axis, image in zip(line, images, strict=False):
            axis.imshow(np.reshape(image, first["shape"]), cmap="gray", vmin=0.0, vmax=1.0)
    for axis, label in zip(axes[0], (*first["labels"], "chosen"), strict=True):
        axis.set_title(str(label), fontsize=10)
    mean = np.clip(np.mean(first["originals"], axis=0), 0.0, 1.0)
    for axis, chosen in zip(axes[:, -1], ([], *(one["selected_indices"] for one in pictures)), strict=True):
        pixels = np.repeat(mean[:, None], 3, axis=1)
        pixels[chosen] = RED
        axis.imshow(pixels.reshape(*first["shape"], 3))
    save(figure, path)
    return (
        f"Test images of the held-out task {first['target_task']} of {dataset_name(first['dataset'])}, one of "
        f"each digit, and their reconstructions: N_S = {first['support_size']}, K = {first['num_selected']}, "
        f"split {first['split']}. On the right, the chosen pixels in red on the mean of the images."
    )
