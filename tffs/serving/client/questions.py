"""What a client asks one version of a model, and the frames it makes of the answers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from tffs.errors import UserError, listed
from tffs.serving import contract
from tffs.serving.client.errors import NotServed
from tffs.serving.client.frames import lacking, numbers
from tffs.serving.client.version_follower import Pinned
from tffs.serving.description import Description

# Of one request: more rows go in several, each within what a server takes.
MOST_ROWS = 4096
MOST_VALUES = 2**19


def select(pinned: Pinned, rows: Any) -> pd.DataFrame:
    """Choose features for support rows; see `Client.select`."""
    return _selection(pinned, _support(pinned.description, rows))


def ask_with_values(pinned: Pinned, rows: Any, values: Any, signature: str) -> pd.DataFrame:
    """Ask a signature that takes support rows and the values of the features selected from them.

    Args:
        pinned: the version to ask.
        rows: the support rows.
        values: see `Client.reconstruct`.
        signature: `reconstruct` or `classify`.

    Returns:
        One line a row of values.
    """
    description = pinned.description
    ours = contract.RECONSTRUCT if description.classes is None else contract.CLASSIFY
    if signature != ours:
        raise UserError(f"Version {pinned.version} of the model does not {signature}, it can {ours}: use that.")
    support = _support(description, rows)
    if len(support) != description.support_size:
        raise UserError(
            f"To {signature}, this model takes exactly {description.support_size} support rows, but "
            f"{len(support)} came."
        )
    names = [f"selected {number}" for number in range(1, description.num_selected + 1)]
    if isinstance(values, pd.DataFrame):
        names = _selection(pinned, support)["feature"].tolist()
        missing = lacking(values, names)
        if missing:
            raise UserError(
                f"Version {pinned.version} of the model selects {listed(names, len(names))} for these rows, "
                f"but the values lack {listed(missing)}: measure what is missing; if an earlier selection was "
                "another, it was by another version or from other rows."
            )
    measured = numbers(values, names, "values")
    _check_values(measured, names, description)
    output, columns = ("reconstruction", description.feature_names)
    if description.classes is not None:
        output, columns = ("probabilities", description.classes)
    answers = []
    at_once = max(1, min(MOST_ROWS, MOST_VALUES // max(measured.shape[1], len(columns))))
    for start in range(0, len(measured), at_once):
        part = measured[start : start + at_once]
        shapes = {output: (len(part), len(columns))}
        answers.append(pinned.predict(signature, {"support": support, "values": part}, shapes)[output])
    frame = pd.DataFrame(
        np.concatenate(answers).astype(np.float32),
        index=values.index if isinstance(values, pd.DataFrame) else None,
        columns=list(columns),
    )
    frame.attrs["version"] = pinned.version
    return frame


def _support(description: Description, rows: Any) -> np.ndarray:
    missing = lacking(rows, description.feature_names)
    if missing:
        raise UserError(
            f"The rows lack {len(missing)} of the model's {description.num_features} features: "
            f"{listed(missing)}; give a column for each."
        )
    support = numbers(rows, description.feature_names, "rows")
    description.check_support(support)
    return support


def _selection(pinned: Pinned, support: np.ndarray) -> pd.DataFrame:
    inputs: dict[str, np.ndarray] = {"support": support}
    signature = contract.SELECT
    if len(support) != pinned.description.support_size:  # the model takes several sizes
        inputs["support_size"] = np.array(len(support), np.int32)
        signature = contract.SELECT_MASKED
    each = (pinned.description.num_selected,)
    outputs = pinned.predict(signature, inputs, {"names": each, "indices": each, "scores": each})
    names, indices = outputs["names"].tolist(), outputs["indices"]
    known = pinned.description.feature_names
    if names != [known[index] if 0 <= index < len(known) else None for index in indices]:
        # Another model under the same number; an answer by the wrong names would be worse than none.
        raise NotServed(f"version {pinned.version} is another model than it was")
    frame = pd.DataFrame(
        {"feature": names, "index": indices, "score": outputs["scores"].astype(np.float32)},
        index=pd.RangeIndex(1, len(names) + 1, name="selector"),
    )
    frame.attrs["version"] = pinned.version
    return frame


def _check_values(values: np.ndarray, names: Sequence[str], description: Description) -> None:
    bad = np.argwhere(np.isinf(values) if description.missing == "median" else ~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise UserError(
            f"The values must be finite numbers, but '{names[column]}' is {values[row, column]} in row "
            f"{row + 1}: fill it in or leave the row out."
        )
