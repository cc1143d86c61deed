"""TFDS builders, one folder a dataset; importing this package imports neither TFDS nor TensorFlow."""

import importlib
import os
import pathlib
from typing import Any

MIRROR_VARIABLE = "TFFS_DATA_MIRROR"
DATA_DIR = "~/.cache/tffs/tfds"  # where prepared datasets are kept unless a flag says otherwise
TABLE = "table"  # the generic builder, which makes a dataset of any table


def mirror(given: str | None) -> str | None:
    """Find the folder that replaces the network: as given, or as the environment says."""
    folder = given or os.environ.get(MIRROR_VARIABLE)
    return os.path.expanduser(folder) if folder else None


def available() -> list[str]:
    """List the names of the datasets that have a builder here."""
    here = pathlib.Path(__file__).parent
    return sorted({path.parent.name for path in here.glob("*/*_dataset_builder.py")} - {TABLE})


def builder(name: str, data_dir: str) -> Any:
    """Make the TFDS builder of dataset `name`, which reads and writes below `data_dir`."""
    module = importlib.import_module(f"data_builders.{name}.{name}_dataset_builder")
    return module.Builder(data_dir=data_dir)
