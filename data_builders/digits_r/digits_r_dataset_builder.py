"""digits_r: scikit-learn's 8x8 handwritten digits, one task for each of six rotation angles."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.ndimage
import sklearn.datasets
import tensorflow_datasets as tfds

ANGLES = (0, 15, 30, 45, 60, 75)
SIDE = 8
FEATURE_NAMES = tuple(f"r{row}c{column}" for row in range(SIDE) for column in range(SIDE))
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
    turned = scipy.ndimage.rotate(image.astype(np.float64), angle, reshape=False, order=1, mode="constant")
    return np.clip(turned / 16.0, 0.0, 1.0).astype(np.float32).reshape(-1)


class Builder(tfds.core.GeneratorBasedBuilder):
    """Rotated handwritten digits: six tasks that share 64 pixels and no image; nothing is downloaded."""

    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar[dict[str, str]] = {"1.0.0": "Initial release."}

    def _info(self) -> tfds.core.DatasetInfo:
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(
                {
                    "x": tfds.features.Tensor(shape=(len(FEATURE_NAMES),), dtype=np.float32),
                    "label": tfds.features.Scalar(dtype=np.int64),
                    "task": tfds.features.Text(),
                    "id": tfds.features.Text(),
                }
            ),
            supervised_keys=None,
            disable_shuffling=True,
            homepage="https://scikit-learn.org/stable/datasets/toy_dataset.html",
            metadata=tfds.core.MetadataDict({"feature_names": list(FEATURE_NAMES)}),
        )

    def _split_generators(self, dl_manager: tfds.download.DownloadManager) -> dict[str, Any]:
        del dl_manager  # the images come with scikit-learn
        digits = sklearn.datasets.load_digits()
        return {
            f"rot{angle}": self._generate_examples(digits.images, digits.target, angle, members)
            for angle, members in zip(ANGLES, deal(len(digits.images)), strict=True)
        }

    def _generate_examples(
        self, images: np.ndarray, labels: np.ndarray, angle: int, members: np.ndarray
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        for number in members:
            key = f"digit{number:04d}"
            yield (
                key,
                {
                    "x": rotate(images[number], angle),
                    "label": int(labels[number]),
                    "task": f"rot{angle}",
                    "id": key,
                },
            )
