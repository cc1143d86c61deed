"""A dataset opened, checked and loaded in one call, as a run does it."""

from typing import NamedTuple

from tffs.data.datasets import open_dataset
from tffs.data.tasks import Tasks


class Loaded(NamedTuple):
    name: str
    tasks: Tasks
    version: str


def load(name, place, missing="error", say=lambda sentence: None):
    dataset = open_dataset(name, place, say)
    dataset.check(missing, say)
    return Loaded(dataset.name, dataset.load(place, missing, say), dataset.version)
