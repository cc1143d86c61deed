"""What one version of a model is asked, and the frames made of its answers."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tffs.errors import UserError, listed
from tffs.serving import contract
from tffs.serving.description import Description
from tffs.serving.frames import lacking, numbers
from tffs.serving.model_version import AnotherModel, ModelVersion

# Of one request: more rows go in several, each within what a server takes.
MOST_ROWS = 4096
MOST_VALUES = 2**19


class Answer(NamedTuple):
    """A frame, and sentences for the person on what may not be what was meant."""

    frame: pd.DataFrame
    notes: list[str]


def select(version: ModelVersion, rows: Any) -> Answer:
    """Choose features for support rows; see `FrontDoor.select`."""
    support, notes = _support(version.description, rows)
    return Answer(_selection(version, support), notes)


def ask_with_values(version: ModelVersion, rows: Any, values: Any, signature: str) -> Answer:
    """Ask a signature that takes support rows and the values of the features selected from them.

    Args:
        version: the version to ask.
        rows: the support rows.
        values: see `FrontDoor.reconstruct`.
        signature: `reconstruct` or `classify`.

    Returns:
        One line a row of values.
    """
    description = version.description
    ours = contract.RECONSTRUCT if description.classes is None else contract.CLASSIFY
    if signature != ours:
        raise UserError(f"Version {version.number} of the model does not {signature}, it can {ours}: use that.")
    support, notes = _support(description, rows)
    if len(support) != description.support_size:
        raise UserError(
            f"To {signature}, this model takes exactly {description.support_size} support rows. Received: "
            f"{len(support)}."
        )
    measured = _measured(version, support, values)
    output, columns = "reconstruction", description.feature_names
    if description.classes is not None:
        output, columns = "probabilities", description.classes
    answers = []
    at_once = max(1, min(MOST_ROWS, MOST_VALUES // max(measured.shape[1], len(columns))))
    for start in range(0, len(measured), at_once):
        part = measured[start : start + at_once]
        shapes = {output: (len(part), len(columns))}
        answers.append(version.ask(signature, {"support": support, "values": part}, shapes)[output])
    frame = pd.DataFrame(
        np.concatenate(answers).astype(np.float32),
        index=values.index if isinstance(values, pd.DataFrame) else None,
        columns=list(columns),
    )
    frame.attrs["version"] = version.number
    return Answer(frame, notes)


def _support(description: Description, rows: Any) -> tuple[np.ndarray, list[str]]:
    """Take the support rows by the names of their columns, and note where their units may be wrong."""
    missing = lacking(rows, description.feature_names)
    if missing:
        raise UserError(
            f"The rows lack {len(missing)} of the model's {description.num_features} features: "
            f"{listed(missing)}; give a column for each."
        )
    support = numbers(rows, description.feature_names, "rows")
    description.check_support(support)
    outside = description.far_outside(support)
    if not outside:
        return support, []
    note = f"{len(outside)} feature(s) are far outside what the source tasks showed; are the units right? "
    return support, [note + "; ".join(outside[:3])]


def _measured(version: ModelVersion, support: np.ndarray, values: Any) -> np.ndarray:
    """Take the values of the features that are selected from the support rows: float32 [rows, K]."""
    description = version.description
    names = [f"selected {number}" for number in range(1, description.num_selected + 1)]
    if isinstance(values, pd.DataFrame):
        names = _selection(version, support)["feature"].tolist()
        missing = lacking(values, names)
        if missing:
            raise UserError(
                f"Version {version.number} of the model selects {listed(names, len(names))} for these rows, "
                f"but the values lack {listed(missing)}: measure what is missing; if an earlier selection was "
                "another, it was by another version or from other rows."
            )
    measured = numbers(values, names, "values")
    bad = description.not_finite(measured)
    if bad is not None:
        row, column = bad
        raise UserError(
            f"The values must be finite numbers, but '{names[column]}' is {measured[row, column]} in row "
            f"{row + 1}: fill it in or leave the row out."
        )
    return measured


def _selection(version: ModelVersion, support: np.ndarray) -> pd.DataFrame:
    inputs: dict[str, np.ndarray] = {"support": support}
    signature = contract.SELECT
    if len(support) != version.description.support_size:  # the model takes several sizes
        inputs["support_size"] = np.array(len(support), np.int32)
        signature = contract.SELECT_MASKED
    each = (version.description.num_selected,)
    outputs = version.ask(signature, inputs, {"names": each, "indices": each, "scores": each})
    names, indices = outputs["names"].tolist(), outputs["indices"]
    known = version.description.feature_names
    if names != [known[index] if 0 <= index < len(known) else None for index in indices]:
        # An answer by the wrong names would be worse than none.
        raise AnotherModel(f"Version {version.number} is another model than it was when it was described.")
    frame = pd.DataFrame(
        {
            "feature": names,
            "index": indices.astype(np.int32),
            "score": outputs["scores"].astype(np.float32),
        },
        index=pd.RangeIndex(1, len(names) + 1, name="selector"),
    )
    frame.attrs["version"] = version.number
    return frame
