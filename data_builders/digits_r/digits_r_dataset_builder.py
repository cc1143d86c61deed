"""digits_r: scikit-learn's 8x8 handwritten digits, one task for each of six rotation angles."""

from typing import Any

import numpy as np
import tensorflow_datasets as tfds

from data_builders.task_dataset import TaskDatasetBuilder

ANGLES = (0, 15, 30, 45, 60, 75)
SIDE = 8
# Fixes once and for all which image is dealt to which task.
DEAL_SEED = 20211206


def deal(num_images: int) -> list[np.ndarray]:
    """Deal image numbers out to the six tasks, so that no image is in two of them.

    Args:
        num_images: how many images there are to deal.

    Returns:
        One sorted int64 array of image numbers for each of `ANGLES`; sizes differ by at most one.
    """
    order = np.random.default_rng(DEAL_SEED).permutation(num_images)
    return [np.sort(order[task :: len(ANGLES)]) for task in range(len(ANGLES))]


def rotate(image: np.ndarray, angle: int) -> np.ndarray:
    """Rotate one image counter-clockwise by `angle` degrees and flatten it.

    Args:
        image: [8, 8] grey levels from 0 to 16.
        angle: degrees.

    Returns:
        float32 [64] in [0, 1], row by row.
    """
    import scipy.ndimage  # takes long, and only making the dataset needs it

    turned = scipy.ndimage.rotate(image.astype(np.float64), angle, reshape=False, order=1, mode="constant")
    return np.clip(turned / 16.0, 0.0, 1.0).astype(np.float32).reshape(-1)


class Builder(TaskDatasetBuilder):
    """Rotated handwritten digits: six tasks that share 64 pixels and no image; nothing is downloaded."""

    FEATURE_NAMES = tuple(f"r{row}c{column}" for row in range(SIDE) for column in range(SIDE))
    HOMEPAGE = "https://scikit-learn.org/stable/datasets/toy_dataset.html"

    def _split_generators(self, dl_manager: tfds.download.DownloadManager) -> dict[str, Any]:
        del dl_manager  # the images come with scikit-learn
        import sklearn.datasets  # which takes long, and only making the dataset needs it

        digits = sklearn.datasets.load_digits()
        return {
            f"rot{angle}": self._generate_examples(
                f"rot{angle}",
                np.stack([rotate(digits.images[number], angle) for number in members]),
                digits.target[members],
                [f"digit{number:04d}" for number in members],
            )
            for angle, members in zip(ANGLES, deal(len(digits.images)), strict=True)
        }
