"""What one version of a model is asked, and the frames made of its answers."""

from typing import Any

import numpy as np
import pandas as pd

from tffs.errors import UserError, listed, why_not_finite
from tffs.serving import contract, posterior_questions
from tffs.serving.answers import Answer, Reconstruction
from tffs.serving.frames import lacking, numbers
from tffs.serving.model_version import AnotherModel, ModelVersion, rows_at_once
from tffs.serving.support_rows import far_outside, support_of
from tffs.serving.wishes import Wishes


def rank(version: ModelVersion, rows: Any, wishes: Wishes) -> Answer[pd.DataFrame]:
    """Rank all features; see `FrontDoor.rank`."""
    _need(version, version.description.ranks, "rank features")
    return posterior_questions.rank(version, rows, wishes)


def select(version: ModelVersion, rows: Any, wishes: Wishes) -> Answer[pd.DataFrame]:
    """Choose features for support rows; see `FrontDoor.select`."""
    if version.description.ranks:
        return posterior_questions.select(version, rows, wishes)
    wishes.refuse(version.description)
    support, notes = support_of(version.description, rows)
    return Answer(_selection(version, support), notes)


def reconstruct(
    version: ModelVersion, rows: Any, values: Any, interval: float | None
) -> Answer[pd.DataFrame | Reconstruction]:
    """Give all features of rows; see `FrontDoor.reconstruct`."""
    if version.description.ranks:
        return posterior_questions.reconstruct(version, rows, values, interval)
    _need(version, interval is None, "give intervals")
    return ask_with_values(version, rows, values, contract.RECONSTRUCT)


def _need(version: ModelVersion, able: bool, what: str) -> None:
    if not able:
        raise UserError(
            f"Version {version.number} is a model of the method {version.description.method}, which does "
            f"not {what}: "
            "train a model of the method posterior, which does."
        )


def ask_with_values(version: ModelVersion, rows: Any, values: Any, signature: str) -> Answer[Any]:
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
    support, notes = support_of(description, rows)
    if len(support) != description.support_size:
        raise UserError(
            f"To {signature}, this model takes exactly {description.support_size} support rows. Received: "
            f"{len(support)}."
        )
    chosen = _selection(version, support)
    measured = _measured(version, chosen["feature"].tolist(), values)
    indices = chosen["index"].to_numpy()
    notes += far_outside(description, "values", _extremes(measured, indices, description.num_features))
    output, columns = "reconstruction", description.feature_names
    if description.classes is not None:
        output, columns = "probabilities", description.classes
    answers = []
    at_once = rows_at_once(max(measured.shape[1], len(columns)))
    for start in range(0, len(measured), at_once):
        part = measured[start : start + at_once]
        shapes = {output: (len(part), len(columns))}
        answers.append(version.ask(signature, {"support": support, "values": part}, shapes)[output])
    answer = np.concatenate(answers).astype(np.float32)
    if description.classes is None:  # exports of 0.5.0 answer what was measured with what they make of it
        answer[:, indices] = np.where(np.isnan(measured), answer[:, indices], measured)
    frame = pd.DataFrame(
        answer,
        index=values.index if isinstance(values, pd.DataFrame) else None,
        columns=list(columns),
    )
    frame.attrs["version"] = version.number
    return Answer(frame, notes)


def _extremes(measured: np.ndarray, indices: np.ndarray, num_features: int) -> np.ndarray:
    """Give the least and the greatest value of each feature [2, M]; NaN where none was measured."""
    extremes = np.full((2, num_features), np.nan, np.float32)
    extremes[:, indices] = np.fmin.reduce(measured), np.fmax.reduce(measured)
    return extremes


def _measured(version: ModelVersion, names: list[str], values: Any) -> np.ndarray:
    """Take the values of the selected features: float32 [rows, K]."""
    missing = lacking(values, names)
    if missing:
        raise UserError(
            f"Version {version.number} of the model selects {listed(names, len(names))} for these rows, "
            f"but the values lack {listed(missing)}: measure what is missing; if an earlier selection was "
            "another, it was by another version or from other rows."
        )
    measured = numbers(values, names, "values")
    bad = version.description.not_finite(measured)
    if bad is not None:
        row, column = bad
        raise UserError(
            f"The values must be finite numbers, but '{names[column]}' in row {row + 1} "
            f"{why_not_finite(measured[bad])}."
        )
    for place, name in enumerate(names):
        first = names.index(name)
        if not np.array_equal(measured[:, first], measured[:, place], equal_nan=True):
            raise UserError(
                f"Selectors {first + 1} and {place + 1} both chose '{name}', but columns {first + 1} and "
                f"{place + 1} of the values are different: repeat the same values, or give a DataFrame."
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
    frame.attrs.update(
        version=version.number, method=version.description.method, rows=len(support), novelty=None
    )
    return frame
