"""Load the trained model of a run."""

import os
import zipfile

import keras

from tffs.errors import UserError, reason
from tffs.models.raw_units_selector import RawUnitsSelector

# What Keras raises for files that are damaged, or of classes that it does not know.
_UNREADABLE = (OSError, ValueError, TypeError, LookupError, AttributeError, zipfile.BadZipFile)


def load_model(path: str) -> RawUnitsSelector:
    """Load `model.keras`, by its path or that of its workdir.

    Args:
        path: the file, or the workdir that holds it.

    Returns:
        The model, which takes and gives raw units; what cannot be read raises `UserError`.

    Example:
        >>> import os, tempfile
        >>> import tffs
        >>> model = tffs.RawUnitsSelector(tffs.fixed_model(6, features=[3, 1]), tffs.Scaling())
        >>> model.build()
        >>> with tempfile.TemporaryDirectory() as workdir:
        ...     model.save(os.path.join(workdir, "model.keras"))
        ...     tffs.load_model(workdir).selector.selector.features
        (3, 1)
    """
    file = os.path.join(path, "model.keras") if os.path.isdir(path) else path
    if not os.path.isfile(file):
        raise UserError(f"{file} is not there: give the workdir of a finished run, or its model.keras.")
    if not (file.endswith(".keras") and zipfile.is_zipfile(file)):
        raise UserError(
            f"{file} cannot be read as a model of tffs: it is no .keras file, or only a part of one."
        )
    try:
        model = keras.saving.load_model(file, compile=False)
    except _UNREADABLE as error:
        raise UserError(
            f"{file} cannot be read as a model of tffs ({reason(error)}): it is damaged, or something else "
            "wrote it."
        ) from error
    if not isinstance(model, RawUnitsSelector):
        raise UserError(f"{file} holds a {type(model).__name__}, not a model that a run of tffs saved.")
    return model
