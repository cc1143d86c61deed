"""Rows by task: from a table and `groups` to `Tasks`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from tffs.config.run import FOLDS, NO_TARGET
from tffs.data.tasks import Tasks
from tffs.errors import UserError, listed, warn

ONE_TASK = "all"
COARSE = 1000.0  # steps of 32-bit numbers that a feature must vary by


def tasks_of(matrix: np.ndarray, names: tuple[str, ...], groups: Any, missing: str) -> tuple[Tasks, list[Any]]:
    """Sort rows by task, and give what the tasks are called in `groups`."""
    with np.errstate(over="ignore"):
        rows = np.asarray(matrix, np.float32)
    if np.isinf(rows).any():
        row, feature = np.argwhere(np.isinf(rows))[0]
        raise UserError(
            f"X must be finite 32-bit numbers, but '{names[feature]}' in row {row + 1} is "
            f"{matrix[row, feature]}: check its unit."
        )
    empty = [names[feature] for feature in np.flatnonzero(np.isnan(rows).all(axis=0))]
    if empty:
        raise UserError(f"X has no value of {listed(empty)}: leave these columns out.")
    if groups is None:
        warn(
            "No groups were given, so all rows are one task: what differs between tasks cannot be learned, and "
            "nothing can be measured on tasks left out. Pass groups, which say whose row each is."
        )
        codes, labels = np.zeros(len(rows), np.int64), [ONE_TASK]
    else:
        codes, labels = coded(groups, len(rows))
    _warn_of_offsets(rows, names)
    if missing == "drop_rows":
        whole = ~np.isnan(rows).any(axis=1)
        rows, codes = rows[whole], codes[whole]
        if not len(rows):
            raise UserError("Every row of X has a missing value: use missing='median', or leave columns out.")
        kept, codes = np.unique(codes, return_inverse=True)
        labels = [labels[place] for place in kept]
    order = np.argsort(codes, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(labels)))]).astype(np.int64)
    return Tasks(np.ascontiguousarray(rows[order]), names, _task_names(labels), offsets), labels


def coded(groups: Any, rows: int) -> tuple[np.ndarray, list[Any]]:
    """Number the tasks that rows are of, in order: int [rows], and what each is called."""
    if isinstance(groups, np.ndarray) and groups.ndim > 1:
        groups = groups.ravel() if groups.size == len(groups) else list(map(tuple, groups.tolist()))
    try:
        groups = pd.Series(list(groups), dtype=None if len(groups) else object)
    except TypeError as error:
        raise UserError(f"groups must say of each row whose it is. Received: {groups!r}.") from error
    if len(groups) != rows:
        raise UserError(
            f"groups must say of each row whose it is: X has {rows} rows, groups has {len(groups)}."
        )
    if groups.isna().any():
        where = int(np.flatnonzero(groups.isna())[0])
        raise UserError(f"groups is missing for row {where + 1}: say whose row it is, or leave the row out.")
    try:
        codes, values = pd.factorize(groups, sort=True)
    except TypeError:  # numbers beside texts have no order
        codes, values = pd.factorize(groups)
    return codes.astype(np.int64), list(values)


def _task_names(labels: Sequence[Any]) -> tuple[str, ...]:
    """Name tasks: each once, and none as a flag keeps a name for something else."""
    names: list[str] = []
    for label in labels:
        name = str(label)
        while name in names or name in (NO_TARGET, FOLDS):
            name += "_"
        names.append(name)
    return tuple(names)


def _warn_of_offsets(rows: np.ndarray, names: tuple[str, ...]) -> None:
    """Warn of features that differ by little more than 32-bit numbers can tell."""
    low, high = np.fmin.reduce(rows, axis=0), np.fmax.reduce(rows, axis=0)
    width, size = high.astype(np.float64) - low, np.maximum(np.abs(low), np.abs(high)).astype(np.float64)
    coarse = np.flatnonzero((width > 0) & (width < COARSE * np.finfo(np.float32).eps * size))
    if len(coarse):
        warn(
            f"{listed([names[place] for place in coarse])} vary so little beside their size that 32-bit "
            "numbers hardly tell their values apart: subtract a constant from them."
        )
