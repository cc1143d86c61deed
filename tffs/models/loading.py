"""Load the trained model of a run."""

import os

import keras

from tffs.errors import UserError
from tffs.models.raw_units_selector import RawUnitsSelector


def load_model(path: str) -> RawUnitsSelector:
    """Load `model.keras`, by its path or that of its workdir.

    Args:
        path: the file, or the workdir that holds it.

    Returns:
        The model, which takes and gives raw units. A file that cannot be read raises OSError or ValueError, a
        model that is no run's `UserError`.
    """
    file = os.path.join(path, "model.keras") if os.path.isdir(path) else path
    try:
        model = keras.saving.load_model(file, compile=False)
    except (OSError, ValueError):
        raise
    except Exception as error:  # a description that does not fit its class shows as whatever the class raises
        raise ValueError(f"{file} cannot be made a model of ({type(error).__name__}: {error})") from error
    if not isinstance(model, RawUnitsSelector):
        raise UserError(
            f"{file} holds a model of the class {type(model).__name__}, which no run of tffs writes: put back "
            "the run's own, or delete its workdir's training.json and give the run's command again."
        )
    return model
