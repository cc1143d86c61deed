"""Read arrays from a MATLAB file; a MATLAB file is data, nothing in it is run."""

import os
from collections.abc import Sequence

import numpy as np
import scipy.io

from tffs.errors import UserError, reason


def read_arrays(path: str, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Read those of the arrays `names` that a .mat file holds.

    Args:
        path: a MATLAB file up to version 7.2.
        names: which variables to read.

    Returns:
        The arrays by name; what cannot be read raises `UserError`.
    """
    try:
        found = scipy.io.loadmat(path, variable_names=list(names))
    except FileNotFoundError as error:
        raise UserError(f"{path} is not there.") from error
    except Exception as error:  # SciPy lets through whatever a damaged file makes its parser raise
        raise UserError(
            f"{path} must be a MATLAB file up to version 7.2, but it cannot be read ({reason(error)}): save it "
            "again with -v7."
        ) from error
    return {name: np.asarray(found[name]) for name in names if name in found}


def matrix_and_labels(
    path: str, x: np.ndarray, labels: np.ndarray, width: int
) -> tuple[np.ndarray, np.ndarray]:
    """Check that rows and labels are what a task needs.

    Args:
        path: named in the error.
        x: should be [rows, width] finite numbers.
        labels: should be one whole number a row.
        width: the number of features.

    Returns:
        float32 [rows, width] and int64 [rows].
    """
    labels = labels.reshape(-1)
    if x.ndim != 2 or x.shape[1] != width or len(x) != len(labels) or not len(x):
        raise UserError(
            f"{os.path.basename(path)} must hold rows of {width} features with a label each, but "
            f"has {list(x.shape)} features and {len(labels)} labels."
        )
    if not (np.issubdtype(x.dtype, np.number) and np.isfinite(x).all()):
        raise UserError(f"{os.path.basename(path)} must hold finite numbers, but has NaN, infinity or text.")
    whole = labels.dtype.kind in "iufb" and np.array_equal(labels, np.floor(labels))
    if not whole:
        raise UserError(f"{os.path.basename(path)} must have whole numbers as labels.")
    return x.astype(np.float32), labels.astype(np.int64)
