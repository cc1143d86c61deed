"""TFDS builders, one folder a dataset; importing this package imports neither TFDS nor TensorFlow."""

import importlib
import os
from typing import Any

from data_builders.reference import TABLE, available, home

MIRROR_VARIABLE = "TFFS_DATA_MIRROR"
DATA_DIR = "~/.cache/tffs/tfds"  # where prepared datasets are kept unless a flag says otherwise

__all__ = ["DATA_DIR", "MIRROR_VARIABLE", "TABLE", "available", "builder", "mirror"]


def mirror(given: str | None) -> str | None:
    """Find the folder that replaces the network: as given, or as the environment says."""
    folder = given or os.environ.get(MIRROR_VARIABLE)
    return os.path.expanduser(folder) if folder else None


def builder(name: str, data_dir: str) -> Any:
    """Make the TFDS builder of a dataset, named as by `reference.resolve`, which writes below `data_dir`."""
    if name in available():
        module = importlib.import_module(f"data_builders.{name}.{name}_dataset_builder")
        return module.Builder(data_dir=data_dir)
    from data_builders.own_builder import own_builder

    return own_builder(name, home(name, data_dir))
