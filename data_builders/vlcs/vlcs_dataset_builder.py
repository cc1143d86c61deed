"""vlcs: images of four collections as 4096 DeCaF-6 features, from files that a person has to bring."""

from typing import Any

import numpy as np
import tensorflow_datasets as tfds

from data_builders.mat_file import matrix_and_labels, read_arrays
from data_builders.task_dataset import TaskDatasetBuilder
from tffs.errors import UserError, listed

TASKS = ("voc2007", "labelme", "caltech101", "sun09")


class Builder(TaskDatasetBuilder):
    """The paper's VLCS: five kinds of objects in four collections of images."""

    MANUAL_DOWNLOAD_INSTRUCTIONS = """
    The DeCaF-6 features of VLCS have no public address that could be pinned. Bring one MATLAB file a
    collection: voc2007.mat, labelme.mat, caltech101.mat and sun09.mat (capital letters do not matter), each
    with either `data` [rows, 4097], the last column being the label, or `fts` [rows, 4096] and `labels`
    [rows]. Rows are scaled to length one when they are read, so it does not matter whether they are already.
    """
    FEATURE_NAMES = tuple(f"decaf{number}" for number in range(4096))
    HOMEPAGE = "https://doi.org/10.1109/ICCV.2013.208"

    def _split_generators(self, dl_manager: tfds.download.DownloadManager) -> dict[str, Any]:
        folder = dl_manager.manual_dir
        files = {path.name.lower(): str(path) for path in folder.iterdir()}
        missing = [f"{task}.mat" for task in TASKS if f"{task}.mat" not in files]
        if missing:
            raise UserError(f"{folder} lacks {listed(missing)}: vlcs needs one MATLAB file a collection.")
        return {task: self._task(task, files[f"{task}.mat"]) for task in TASKS}

    def _task(self, task: str, path: str) -> Any:
        arrays = read_arrays(path, ("data", "fts", "labels"))
        width = len(self.FEATURE_NAMES)
        if "data" in arrays:
            if arrays["data"].shape[1:] != (width + 1,):
                raise UserError(
                    f"{path}: 'data' must be [rows, {width + 1}], {width} features and the label last, but is "
                    f"{list(arrays['data'].shape)}: store the label with the features, or both apart as 'fts' "
                    "and 'labels'."
                )
            x, labels = arrays["data"][:, :-1], arrays["data"][:, -1]
        elif {"fts", "labels"} <= set(arrays):
            x, labels = arrays["fts"], arrays["labels"]
        else:
            raise UserError(
                f"{path} must hold 'data' (the last column the label) or 'fts' and 'labels', but "
                f"has {listed(sorted(arrays)) or 'neither'}."
            )
        x, labels = matrix_and_labels(path, x, labels, width)
        length = np.linalg.norm(x, axis=1, keepdims=True)
        x = np.divide(x, length, out=np.zeros_like(x), where=length > 0)
        return self._generate_examples(task, x, labels, [f"{task}-{number:05d}" for number in range(len(x))])
