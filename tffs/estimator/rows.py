"""Rows as people have them, frames by the names of their columns, and what comes back to them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from tffs.errors import UserError, listed, warn
from tffs.estimator.sklearn_compat import validated

MISSING = ("error", "median", "drop_rows")


def in_order(data: Any, names: Sequence[str], what: str) -> Any:
    """Put the columns of a frame into an order; others are not read, with a warning.

    Args:
        data: a frame; anything else is given back as it is.
        names: of all features.
        what: what the rows are called in a message.
    """
    if not isinstance(data, pd.DataFrame):
        return data
    there = [str(column) for column in data.columns]
    lacking = [name for name in names if name not in set(there)]
    if lacking:
        raise UserError(
            f"The {what} lack {listed(lacking)}: columns are taken by their names, and every feature is needed."
        )
    more = [name for name in there if name not in set(names)]
    if more:
        warn(f"The {what} have columns that are no features and are not read: {listed(more)}.")
    data = data.set_axis(there, axis=1)
    return data if there == list(names) else data[list(names)]


def by_place(data: Any, names: Sequence[str]) -> Any:
    """Give a frame whose columns have none of the names as an array."""
    if not isinstance(data, pd.DataFrame) or set(map(str, data.columns)) <= set(names):
        return data
    return data.to_numpy()


def selected_columns(data: Any, chosen: Sequence[str], by_name: bool) -> pd.DataFrame:
    """Take the selected features: a frame's columns by their names, or else columns in their order."""
    if isinstance(data, pd.DataFrame) and by_name:
        named = data.set_axis(map(str, data.columns), axis=1)
        lacking = [name for name in chosen if name not in set(named.columns)]
        if lacking:
            raise UserError(f"X lacks {listed(lacking)}, which is selected: give all selected features.")
        return named[list(chosen)]
    if np.ndim(data) != 2 or np.shape(data)[1] != len(chosen):
        raise UserError(
            f"X must be of shape [rows, {len(chosen)}], the selected features as transform gives them. "
            f"Received: the shape {list(np.shape(data))}."
        )
    index = data.index if isinstance(data, pd.DataFrame) else None
    return pd.DataFrame(np.asarray(data, np.float64), index=index, columns=list(chosen))


def as_given(values: Any, found: pd.DataFrame) -> pd.DataFrame:
    """Put measured values into a reconstruction as they were given, with all their digits."""
    found = found.astype(np.float64)
    given = values if isinstance(values, pd.DataFrame) else pd.DataFrame(values, columns=found.columns)
    for place, name in enumerate(map(str, given.columns)):
        if name in found.columns:
            column = given.iloc[:, place].to_numpy(np.float64, na_value=np.nan)
            found[name] = np.where(np.isnan(column), found[name], column)
    return found


def rows_to_fit(selector: Any, X: Any) -> np.ndarray:
    """Check the rows that a selector is fitted to; NaN is for those that say what to do with it."""
    missing = selector.missing
    if missing not in MISSING:
        raise UserError(f"missing must be one of {', '.join(MISSING)}. Received: {missing!r}.")
    try:
        return validated(selector, X, reset=True, allow_nan=missing != "error", min_samples=1)
    except ValueError as error:
        if "contains NaN" not in str(error):
            raise
        raise UserError(
            "Input X contains NaN. Give missing='median' to fill them in, or missing='drop_rows'."
        ) from error
