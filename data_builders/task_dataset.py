"""What the builders of this package share: a split a task, and rows with a label, a task and an id."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import tensorflow_datasets as tfds


class TaskDatasetBuilder(tfds.core.GeneratorBasedBuilder, skip_registration=True):  # type: ignore[call-arg]
    """A dataset of a few tasks: each is a split, and each row has `x`, `label`, `task` and `id`.

    Attributes:
        FEATURE_NAMES: one name a column of `x`.
        HOMEPAGE: where the data comes from.
    """

    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar[dict[str, str]] = {"1.0.0": "Initial release."}
    FEATURE_NAMES: ClassVar[Sequence[str]]
    HOMEPAGE: ClassVar[str]

    def _info(self) -> tfds.core.DatasetInfo:
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(
                {
                    "x": tfds.features.Tensor(shape=(len(self.FEATURE_NAMES),), dtype=np.float32),
                    "label": tfds.features.Scalar(dtype=np.int64),
                    "task": tfds.features.Text(),
                    "id": tfds.features.Text(),
                }
            ),
            supervised_keys=None,
            disable_shuffling=True,
            homepage=self.HOMEPAGE,
            metadata=tfds.core.MetadataDict({"feature_names": list(self.FEATURE_NAMES)}),
        )

    def _generate_examples(
        self, task: str, x: np.ndarray, labels: np.ndarray, ids: Sequence[str]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        for row, label, key in zip(x, labels, ids, strict=True):
            yield key, {"x": row.astype(np.float32), "label": int(label), "task": task, "id": key}
