"""isolet: spoken letters, one task for each of five groups of speakers."""

from typing import Any

import tensorflow_datasets as tfds

from data_builders.mat_file import matrix_and_labels, read_arrays
from data_builders.task_dataset import TaskDatasetBuilder
from tffs.errors import UserError

URLS = {
    task: f"https://raw.githubusercontent.com/ma-xu/L21FS/b9d4e8eb7f6d7b5ccc62f9e638bdaef798b62e5e/data/{file}"
    for task, file in {
        "isolet1": "Isolet1.mat",
        "isolet2": "Isolet2.mat",
        "isolet3": "Isolet3.mat",
        "isolet4": "Isolet4.mat",
        "isolet5": "isolet5.mat",
    }.items()
}


class Builder(TaskDatasetBuilder):
    """The paper's Isolet: 26 letters as 617 acoustic attributes in [-1, 1]."""

    FEATURE_NAMES = tuple(f"attribute{number}" for number in range(1, 618))
    HOMEPAGE = "https://archive.ics.uci.edu/dataset/54/isolet"

    def _split_generators(self, dl_manager: tfds.download.DownloadManager) -> dict[str, Any]:
        return {task: self._task(task, str(path)) for task, path in dl_manager.download(URLS).items()}

    def _task(self, task: str, path: str) -> Any:
        arrays = read_arrays(path, ("fea", "gnd"))
        if len(arrays) != 2:
            raise UserError(f"{path} must hold 'fea' and 'gnd', but has only {sorted(arrays)}.")
        x, letters = matrix_and_labels(path, arrays["fea"], arrays["gnd"], len(self.FEATURE_NAMES))
        return self._generate_examples(
            task, x, letters - 1, [f"{task}-{number:04d}" for number in range(len(x))]
        )
