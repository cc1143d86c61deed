"""Read arrays from a pickle without running anything that is in it."""

import gzip
import pickle
import zlib
from typing import Any

import numpy as np

from tffs.errors import UserError, reason

# All that a pickled NumPy array of numbers refers to; the module moved between releases of NumPy.
_RECONSTRUCT = np.empty(0).__reduce__()[0]
_ADMITTED = {
    ("numpy.core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy._core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
}


class _ArrayUnpickler(pickle.Unpickler):
    """Admits NumPy array reconstruction and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ADMITTED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}") from None


def load_arrays(path: str) -> Any:
    """Load lists and tuples of arrays from a gzipped pickle, one of Python 2 included.

    Args:
        path: the file.

    Returns:
        What was pickled; a file that asks for anything but arrays raises `UserError` before it is run.
    """
    try:
        with gzip.open(path, "rb") as file:
            return _ArrayUnpickler(file, encoding="latin1").load()
    except Exception as error:  # whatever a hostile or damaged file makes the unpickler raise
        expected = (OSError, EOFError, zlib.error, pickle.UnpicklingError, ValueError, TypeError, KeyError)
        what = reason(error) if isinstance(error, expected) else type(error).__name__
        raise UserError(
            f"{path} must be a gzipped pickle of arrays and nothing else, but it was refused ({what}); nothing "
            "in it was run."
        ) from error
