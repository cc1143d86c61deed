"""mnist_r: a thousand MNIST digits of 16x16 pixels, one task for each of six rotation angles."""

from typing import Any

import numpy as np
import tensorflow_datasets as tfds

from data_builders.mnist_r.array_pickle import load_arrays
from data_builders.task_dataset import TaskDatasetBuilder
from tffs.errors import UserError

URL = "https://raw.githubusercontent.com/ghif/mtae/cee4bcd2df685f27b606a77eb92647a30b03a28c/MNIST_6rot.pkl.gz"
ANGLES = (0, 15, 30, 45, 60, 75)
SIDE = 16


class Builder(TaskDatasetBuilder):
    """The paper's MNIST-r: the same 1,000 digits in six rotations."""

    FEATURE_NAMES = tuple(f"r{row}c{column}" for row in range(SIDE) for column in range(SIDE))
    HOMEPAGE = "https://github.com/ghif/mtae"

    def _split_generators(self, dl_manager: tfds.download.DownloadManager) -> dict[str, Any]:
        path = dl_manager.download(URL)
        pairs = load_arrays(path)
        well_formed = len(pairs) == len(ANGLES) and all(
            np.shape(x)[1:] == (SIDE * SIDE,) and len(x) == len(labels) for x, labels in pairs
        )
        if not well_formed:
            raise UserError(f"{path} must hold {len(ANGLES)} pairs of images [n, {SIDE * SIDE}] and n labels.")
        return {
            f"rot{angle}": self._generate_examples(
                f"rot{angle}", np.asarray(x), labels, [f"digit{number:03d}" for number in range(len(x))]
            )
            for angle, (x, labels) in zip(ANGLES, pairs, strict=True)
        }
