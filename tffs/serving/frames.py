"""From what a pandas user has to the arrays that a model takes, by the names of columns."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from tffs.errors import UserError, listed

NUMERIC = ("floating", "integer", "mixed-integer-float", "boolean", "decimal", "empty")


def as_rows(data: Any) -> Any:
    """Give one row as rows: a Series by its index, a list or an array of numbers by its order."""
    if data is not None and (not hasattr(data, "__len__") or isinstance(data, str) or hasattr(data, "tocsr")):
        kind = "a sparse matrix" if hasattr(data, "tocsr") else repr(data)
        raise UserError(
            f"Rows must be a DataFrame, a Series, or an array or lists of numbers. Received: {kind}."
        )
    if isinstance(data, pd.Series):
        return data.to_frame().T
    if isinstance(data, (list, tuple, np.ndarray)) and len(data) and np.ndim(data[0]) == 0:
        return np.asarray(data)[None]
    return data


def lacking(data: Any, names: Sequence[str]) -> list[str]:
    """List the names that a frame has no column for; none for an array, which has no names."""
    if not isinstance(data, pd.DataFrame):
        return []
    there = {str(column) for column in data.columns}
    return [name for name in dict.fromkeys(names) if name not in there]


def numbers(data: Any, names: Sequence[str], what: str, least: int = 1) -> np.ndarray:
    """Take columns of numbers.

    Args:
        data: a frame that has the columns, in any order and among others, or an array of just these columns.
        names: the columns in the order they are wanted; one that is named twice is taken twice.
        what: what the data are called in a message.
        least: how many rows there must be.

    Returns:
        float32 [rows, names]; what is missing is NaN, what is too large is infinite.
    """
    if isinstance(data, pd.DataFrame):
        data = _columns(data, names, what)
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise UserError(f"The {what} must be a DataFrame or an array of numbers ({error}).") from error
    if array.dtype.kind not in "fiub":
        raise UserError(f"The {what} must be numbers, but an array of {array.dtype} was given.")
    if array.ndim != 2 or array.shape[1] != len(names):
        raise UserError(
            f"The {what} must be of shape [rows, {len(names)}]. Received: the shape {list(array.shape)}. A "
            "DataFrame is taken by the names of its columns."
        )
    if len(array) < least:
        raise UserError(f"The {what} have no rows: give at least one.")
    with np.errstate(over="ignore"):
        return array.astype(np.float32)


def _columns(frame: pd.DataFrame, names: Sequence[str], what: str) -> np.ndarray:
    header = [str(column) for column in frame.columns]
    count = Counter(header)
    twice = [name for name in dict.fromkeys(names) if count[name] > 1]
    if twice:
        raise UserError(f"The {what} have the column {listed(twice)} more than once: keep one of them.")
    position = {name: place for place, name in enumerate(header)}
    wanted = frame.iloc[:, [position[name] for name in names]]
    if all(isinstance(kind, np.dtype) and kind.kind in "fiub" for kind in set(wanted.dtypes)):
        return wanted.to_numpy()
    # Columns one by one only where there is need: thousands of them take a while.
    columns = [wanted.iloc[:, place] for place in range(len(names))]
    text = [
        name
        for name, column in zip(names, columns, strict=True)
        if pd.api.types.infer_dtype(column, skipna=True) not in NUMERIC
    ]
    if text:
        raise UserError(f"The {what} must be numbers, but the column {listed(text)} holds something else.")
    return np.stack([column.to_numpy(np.float64, na_value=np.nan) for column in columns], axis=1)
