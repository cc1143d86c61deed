"""What a model that ranks all features is asked, and the frames made of its answers."""

from typing import Any

import numpy as np
import pandas as pd

from tffs.errors import UserError, listed, why_not_finite
from tffs.serving import contract
from tffs.serving.answers import Answer, Reconstruction
from tffs.serving.description import UNUSUAL, Description
from tffs.serving.frames import numbers
from tffs.serving.model_version import AnotherModel, Arrays, ModelVersion, rows_at_once
from tffs.serving.support_rows import far_outside, support_of
from tffs.serving.wishes import Wishes

INTERVAL = "0.9"  # of the outputs `low` and `high`


def rank(version: ModelVersion, rows: Any, wishes: Wishes) -> Answer[pd.DataFrame]:
    """Rank the features that may be chosen; see `FrontDoor.rank`."""
    return _ranked(version, rows, wishes, contract.RANK, version.description.num_features)


def _ranked(
    version: ModelVersion, rows: Any, wishes: Wishes, signature: str, count: int
) -> Answer[pd.DataFrame]:
    """Ask for the first `count` features by a signature that gives so many."""
    description = version.description
    limits = wishes.inputs(description)
    support, notes = support_of(description, rows)
    each = (count,)
    outputs = version.ask(
        signature,
        {**_padded(support), **limits},
        {"indices": each, "names": each, "expected_error": each, "expected_error_of_none": (), "novelty": ()},
    )
    frame = _frame(version, outputs)
    if wishes.costs is not None:
        frame["cost"] = limits["costs"][frame["index"].to_numpy()]
    novelty = float(outputs["novelty"])
    frame.attrs.update(
        version=version.number,
        method=description.method,
        rows=len(support),
        novelty=None if novelty < 0 else novelty,
        expected_error_of_none=float(outputs["expected_error_of_none"]),
    )
    if novelty >= UNUSUAL:
        notes.append(
            f"The support rows are more unusual than {100 * novelty:.0f} % of the source tasks: the answer may "
            "not hold for this task."
        )
    return Answer(frame, notes)


def select(version: ModelVersion, rows: Any, wishes: Wishes) -> Answer[pd.DataFrame]:
    """Choose the first K features of the ranking; see `FrontDoor.select`."""
    wanted = wishes.number(version.description)
    few = version.description.num_selected
    if version.description.selects_limited and wanted <= few:  # the others need not be computed
        ranked, notes = _ranked(version, rows, wishes, contract.SELECT_LIMITED, few)
    else:
        ranked, notes = rank(version, rows, wishes)
    if wishes.num_selected is not None and wanted > len(ranked):
        why = "that are not excluded" if wishes.budget is None else "that the budget buys"
        raise UserError(
            f"Expected num_selected of at most {len(ranked)}, the features {why}. Received: {wanted}. Ask for "
            "fewer, or allow more."
        )
    return Answer(ranked.iloc[:wanted], notes)


def reconstruct(
    version: ModelVersion, rows: Any, values: Any, interval: float | None
) -> Answer[pd.DataFrame | Reconstruction]:
    """Infer all features of rows; see `FrontDoor.reconstruct`."""
    description = version.description
    widening = _widening(description, interval)
    support, notes = support_of(description, rows)
    measured = _measured(description, values)
    notes += far_outside(description, "values", measured)
    names = ("reconstruction", "low", "high")
    at_once = rows_at_once(len(names) * description.num_features)
    parts = []
    for start in range(0, len(measured), at_once):
        part = measured[start : start + at_once]
        inputs = {**_padded(support), "values": part}
        parts.append(version.ask(contract.RECONSTRUCT, inputs, dict.fromkeys(names, part.shape)))
    inferred, low, high = (np.concatenate([part[name] for part in parts]).astype(np.float32) for name in names)

    def framed(array: np.ndarray) -> pd.DataFrame:
        index = values.index if isinstance(values, pd.DataFrame) else None
        frame = pd.DataFrame(array, index=index, columns=list(description.feature_names))
        frame.attrs["version"] = version.number
        return frame

    if interval is None:
        return Answer(framed(inferred), notes)
    low, high = inferred - widening * (inferred - low), inferred + widening * (high - inferred)
    return Answer(Reconstruction(framed(inferred), framed(low), framed(high)), notes)


def _padded(support: np.ndarray) -> Arrays:
    """Give support rows with their number; none as one row that does not count, which JSON needs."""
    size = np.array(len(support), np.int32)
    rows = support if len(support) else np.zeros((1, support.shape[1]), np.float32)
    return {"support": rows, "support_size": size}


def _frame(version: ModelVersion, outputs: Arrays) -> pd.DataFrame:
    count = int((outputs["indices"] >= 0).sum())
    indices, names = outputs["indices"][:count], outputs["names"][:count].tolist()
    known = version.description.feature_names
    if names != [known[index] if 0 <= index < len(known) else None for index in indices]:
        # An answer by the wrong names would be worse than none.
        raise AnotherModel(f"Version {version.number} is another model than it was when it was described.")
    errors = outputs["expected_error"][:count].astype(np.float32)
    before = np.concatenate([outputs["expected_error_of_none"].astype(np.float32).reshape(1), errors])[:-1]
    return pd.DataFrame(
        {
            "feature": names,
            "index": indices.astype(np.int32),
            "expected_error": errors,
            "score": before - errors,
        },
        index=pd.RangeIndex(1, count + 1, name="rank"),
    )


def _measured(description: Description, values: Any) -> np.ndarray:
    """Take the values of any features: float32 [rows, M], NaN where none was measured."""
    names = description.feature_names
    if isinstance(values, pd.DataFrame):
        columns = {str(column) for column in values.columns}
        names = tuple(name for name in names if name in columns)
        if not names:
            raise UserError(
                f"Expected values of any of the model's features ({listed(description.feature_names)}). "
                "Received: the columns "
                f"{listed([str(column) for column in values.columns]) or 'of an empty frame'}. Name the "
                "columns after features."
            )
    there = numbers(values, names, "values")
    bad = np.argwhere(np.isinf(there))
    if len(bad):
        row, column = bad[0]
        raise UserError(
            f"The values must be finite numbers, but '{names[column]}' in row {row + 1} "
            f"{why_not_finite(there[row, column])}."
        )
    if len(names) == description.num_features:
        return there
    measured = np.full((len(there), description.num_features), np.nan, np.float32)
    place = {name: place for place, name in enumerate(description.feature_names)}
    measured[:, [place[name] for name in names]] = there
    return measured


def _widening(description: Description, interval: float | None) -> np.float32:
    if interval is None or str(interval) == INTERVAL:
        return np.float32(1.0)
    if not 0.0 < interval < 1.0:
        raise UserError(
            f"An interval covers a share of the values between 0 and 1. Received: {interval}. Try 0.9."
        )
    return np.float32(description.widening(interval))
