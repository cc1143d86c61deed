"""The tables that benchmarks read, as the rows of their tasks."""

import csv
import os

import numpy as np

from benchmarks.planted import planted
from data_builders import DATA_DIR, MIRROR_VARIABLE
from tffs.config import DataPlace
from tffs.data.datasets import open_dataset


def read(name: str, parkinsons: str | None = None) -> list[np.ndarray]:
    """Give the rows of each task, [rows, features].

    Args:
        name: `parkinsons`, `pacs_features`, `planted_<seed>`, or a dataset with a builder.
        parkinsons: the path of parkinsons_updrs.data, if it is not in the folder of TFFS_DATA_MIRROR.
    """
    if name.startswith("planted_"):
        return list(planted(int(name.removeprefix("planted_"))).x)
    if name == "parkinsons":
        with open(parkinsons or _mirrored(name, "parkinsons_updrs.data"), encoding="utf-8") as file:
            table = np.array(list(csv.reader(file))[1:], np.float64)
        return [table[table[:, 0] == subject, 6:] for subject in np.unique(table[:, 0])]
    if name == "pacs_features":
        with np.load(_mirrored(name, "pacs_efflite0.npz")) as arrays:
            rows, task = arrays["x"].astype(np.float32), arrays["task"]
        return [rows[task == one] for one in np.unique(task)]
    place = DataPlace(data_dir=os.path.expanduser(DATA_DIR), mirror=os.environ.get(MIRROR_VARIABLE))
    tasks = open_dataset(name, place).load(place)
    rows = np.asarray(tasks.matrix[np.arange(tasks.offsets[-1])])
    return [rows[start:end] for start, end in zip(tasks.offsets[:-1], tasks.offsets[1:], strict=True)]


def _mirrored(folder: str, name: str) -> str:
    return os.path.join(os.environ.get(MIRROR_VARIABLE, "."), folder, name)
