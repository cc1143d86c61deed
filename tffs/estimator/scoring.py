"""How well a selector answers for tasks that it has not seen, wherever its model runs."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from tffs.errors import UserError
from tffs.estimator.choice import Limits, choose
from tffs.serving.front_door import FrontDoor


def errors_of_tasks(
    door: FrontDoor,
    rows: pd.DataFrame,
    groups: np.ndarray,
    wanted: int | float | str,
    limits: Limits,
    seed: int,
) -> pd.Series:
    """Give the relative error of each task, with a few of its rows known: NaN where it is not defined.

    Args:
        door: the model.
        rows: of all tasks, with the model's features as columns.
        groups: the number of the task that each row is of.
        wanted: `n_features_to_select`.
        limits: what may be measured.
        seed: of the draw of the known rows.
    """
    description = door.describe()
    weights = description.error_weights()
    if weights is None or description.source_mean is None:
        raise UserError(
            "This model does not say what the source tasks' rows are like, so errors cannot be compared: "
            "export it again with this version of tffs."
        )
    mean = np.asarray(description.source_mean, np.float64)
    found = {}
    for name, support, rest in _parts(groups, description.support_size, seed):
        known = rows.iloc[support] if len(support) or not description.ranks else None
        choice = choose(door, known, wanted, limits)
        values = rows.iloc[rest].reset_index(drop=True)
        measured = values.iloc[:, choice.indices]
        answer = door.reconstruct(known, measured).to_numpy(np.float64)
        truth = values.to_numpy(np.float64)
        by_mean, left = (np.nansum(np.square(truth - one) * weights) for one in (mean, answer))
        found[name] = left / by_mean if by_mean > 0 else math.nan
    return pd.Series(found, name="relative_error")


def _parts(groups: np.ndarray, size: int, seed: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Give each task with the row numbers that are known, and those that are to be inferred."""
    for task in np.unique(groups):
        rows = np.random.default_rng([seed, task]).permutation(np.flatnonzero(groups == task))
        known = min(size, len(rows) // 2)
        yield int(task), rows[:known], np.sort(rows[known:])
