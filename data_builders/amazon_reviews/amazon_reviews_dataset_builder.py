"""amazon_reviews: product reviews as shares of 400 words, one task a kind of product."""

from typing import Any

import tensorflow_datasets as tfds

from data_builders.mat_file import matrix_and_labels, read_arrays
from data_builders.task_dataset import TaskDatasetBuilder
from tffs.errors import UserError

URLS = {
    task: "https://raw.githubusercontent.com/scikit-adaptation/skada-bench/"
    f"e04399f55724b1accbed8ae1050e3c6c73fd481a/data/amazon_review/{file}_400.mat"
    for task, file in {
        "books": "books",
        "dvd": "dvd",
        "electronics": "elec",
        "kitchen": "kitchen",
    }.items()
}


class Builder(TaskDatasetBuilder):
    """The paper's Amazon reviews: rows of 400 word shares that sum to one."""

    FEATURE_NAMES = tuple(f"word{number}" for number in range(400))
    HOMEPAGE = "https://github.com/scikit-adaptation/skada-bench"

    def _split_generators(self, dl_manager: tfds.download.DownloadManager) -> dict[str, Any]:
        return {task: self._task(task, str(path)) for task, path in dl_manager.download(URLS).items()}

    def _task(self, task: str, path: str) -> Any:
        arrays = read_arrays(path, ("fts", "labels"))
        if len(arrays) != 2:
            raise UserError(f"{path} must hold 'fts' and 'labels', but has only {sorted(arrays)}.")
        x, labels = matrix_and_labels(path, arrays["fts"], arrays["labels"], len(self.FEATURE_NAMES))
        return self._generate_examples(task, x, labels, [f"{task}-{number:04d}" for number in range(len(x))])
