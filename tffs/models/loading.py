"""Load the trained model of a run."""

import os

import keras

from tffs.models.raw_units_selector import RawUnitsSelector


def load_model(path: str) -> RawUnitsSelector:
    """Load `model.keras`, by its path or that of its workdir.

    Args:
        path: the file, or the workdir that holds it.

    Returns:
        The model, which takes and gives raw units.
    """
    file = os.path.join(path, "model.keras") if os.path.isdir(path) else path
    return keras.saving.load_model(file, compile=False)
