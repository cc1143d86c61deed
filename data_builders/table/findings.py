"""From a survey to sentences: what keeps a table from being trained on, and what is only worth knowing."""

import csv
import io
import shlex
from typing import NamedTuple

import numpy as np

from data_builders.table.survey import Survey
from tffs.errors import listed

FEW_ROWS = 20  # with fewer rows, whole numbers that are all different are no sign of an id
MOST_CLASSES = 1000
LARGEST_SIZE, SMALLEST_WIDTH = 1e30, 1e-30
_LISTED = 5
_RESOLUTION = 1e-4  # of a feature's size, below which float32 blurs how it varies


class Findings(NamedTuple):
    """Sentences about a table.

    Attributes:
        errors: training cannot start.
        notes: it can, but a person should know.
    """

    errors: list[str]
    notes: list[str]


def findings(survey: Survey, missing: str, one_task: bool = False) -> Findings:
    """Say what is wrong with a table, all of it.

    Args:
        survey: what the table holds.
        missing: the rule for missing values: `error`, `median` or `drop_rows`.
        one_task: whether one task is enough to learn from.
    """
    errors, notes = defects(survey), []
    some_missing = (survey.missing > 0) & ~_empty(survey)
    if some_missing.any():
        sentence = _missing(survey, some_missing)
        if missing == "error":
            errors.append(
                f"{sentence}: fill them in, or choose --missing=median (fill in medians, also when the model "
                "is used) or --missing=drop_rows."
            )
        else:
            how = (
                "medians of the source tasks fill them in" if missing == "median" else "those rows are left out"
            )
            notes.append(f"{sentence}: {how} (--missing={missing}).")
    for what, (count, place) in (("task", survey.without_task), ("label", survey.without_label)):
        if count and missing == "drop_rows":
            notes.append(
                f"{count} row(s) have no {what}, first {place}: they are left out (--missing=drop_rows)."
            )
        elif count:
            errors.append(
                f"{count} row(s) have no {what}, first {place}: fill it in, or leave such rows out with "
                "--missing=drop_rows."
            )
    if len(survey.task_names) == 1:
        alone = f"all rows belong to one task, {listed(survey.task_names)}"
        if one_task:
            notes.append(
                f"{alone}: how tasks differ cannot be learned from it, nor how good the answers are on others."
            )
        else:
            errors.append(
                f"{alone}: learning how to select needs rows of several tasks; is the task column the "
                "right one?"
            )
    return Findings(errors, notes + _notes(survey))


def defects(survey: Survey) -> list[str]:
    """Say why a table cannot be used by any run; such a table is not prepared."""
    errors = _text(survey)
    if survey.rows == 0:
        errors.append("the table has no rows.")
    empty = _names(survey, _empty(survey))
    if empty:
        errors.append(
            f"{len(empty)} column(s) have no values at all: {listed(empty, _LISTED)}: leave them out with "
            f"{_ignore(empty)}."
        )
    if survey.infinite.any():
        names = _names(survey, survey.infinite > 0)
        errors.append(
            f"{survey.infinite.sum()} values are infinite or beyond 32 bits: "
            f"{_with_places(survey, names, 'infinite')}: fix them or leave them empty."
        )
    return errors + _ranges(survey) + _labels(survey)


def _empty(survey: Survey) -> np.ndarray:
    return (survey.missing == survey.rows) & (survey.rows > 0)


def _text(survey: Survey) -> list[str]:
    names = _names(survey, survey.text > 0)
    if not names:
        return []
    return [
        f"{len(names)} column(s) hold text where numbers are expected: {_with_places(survey, names, 'text')}: "
        f"fix the values, or leave the columns out with {_ignore(names)}."
    ]


def _missing(survey: Survey, mask: np.ndarray) -> str:
    most = sorted(np.flatnonzero(mask), key=lambda feature: -survey.missing[feature])
    shown = ", ".join(
        f"'{name}' {survey.missing[feature]} (first in {survey.places[name]['missing']})"
        for feature in most[:_LISTED]
        for name in [survey.feature_names[feature]]
    )
    more = f" and {len(most) - _LISTED} more columns" if len(most) > _LISTED else ""
    return f"{survey.missing[mask].sum()} values are missing in {len(most)} column(s): {shown}{more}"


def _ranges(survey: Survey) -> list[str]:
    """Say which features cannot be scaled in 32 bits."""
    with np.errstate(invalid="ignore", over="ignore"):
        width = survey.high - survey.low
        size = np.maximum(np.abs(survey.low), np.abs(survey.high))
        extreme = (size > LARGEST_SIZE) | ((width > 0) & (width < SMALLEST_WIDTH))
    names = _names(survey, extreme)
    if not names:
        return []
    return [
        f"{len(names)} column(s) have values beyond {LARGEST_SIZE:g} or vary by less than {SMALLEST_WIDTH:g}, "
        f"which 32-bit numbers cannot scale: {listed(names, _LISTED)}: use another unit."
    ]


def _labels(survey: Survey) -> list[str]:
    if survey.classes <= min(MOST_CLASSES, max(survey.rows // 2, 1)):
        return []
    return [
        f"the label column has {survey.classes} different values in {survey.rows} rows, so it is no class: "
        "name another --label_column, or drop it."
    ]


def _notes(survey: Survey) -> list[str]:
    notes = []
    constant = _names(survey, (survey.low == survey.high) & (survey.text == 0))
    if constant:
        notes.append(
            f"{len(constant)} column(s) are constant and tell nothing: {listed(constant, _LISTED)}; they may "
            f"be left out with {_ignore(constant)}."
        )
    notes += _identical(survey, set(constant))
    size = np.maximum(np.abs(survey.low), np.abs(survey.high))
    with np.errstate(invalid="ignore"):
        blurred = _names(survey, (survey.high > survey.low) & (survey.high - survey.low < _RESOLUTION * size))
    if blurred:
        notes.append(
            f"{len(blurred)} column(s) vary little around large values, which 32-bit numbers blur: "
            f"{listed(blurred, _LISTED)}; subtract a constant from them."
        )
    if survey.like_id and survey.rows >= FEW_ROWS:
        notes.append(
            f"{len(survey.like_id)} column(s) look like an id (whole numbers, all different): "
            f"{listed(survey.like_id, _LISTED)}; leave them out with {_ignore(survey.like_id)} unless they are "
            "measured."
        )
    return notes


def _identical(survey: Survey, constant: set[str]) -> list[str]:
    """Say which columns repeat another one, which is named first."""
    unusable = set(_names(survey, (survey.text > 0) | (survey.missing == survey.rows))) | constant
    groups = [group for group in survey.identical if not unusable & set(group)]
    if not groups or survey.rows < 2:
        return []
    repeated = [name for group in groups for name in group[1:]]
    shown = "; ".join(
        f"{listed(group[1:], _LISTED)} {'is' if len(group) == 2 else 'are'} '{group[0]}'"
        for group in groups[:_LISTED]
    )
    more = f"; and so on in {len(groups) - _LISTED} more groups" if len(groups) > _LISTED else ""
    return [
        f"{len(repeated)} column(s) have the same value as another in every row: {shown}{more}; a selection "
        f"may name any of them; they may be left out with {_ignore(repeated)}."
    ]


def _names(survey: Survey, mask: np.ndarray) -> list[str]:
    return [survey.feature_names[feature] for feature in np.flatnonzero(mask)]


def _with_places(survey: Survey, names: list[str], kind: str) -> str:
    shown = ", ".join(f"'{name}' ({survey.places[name][kind]})" for name in names[:_LISTED])
    return shown + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def _ignore(names: list[str] | tuple[str, ...]) -> str:
    """Write the flag that leaves columns out, so that it can be copied."""
    if len(names) > 2 * _LISTED:
        return "--ignore_columns=..."
    written = io.StringIO()
    csv.writer(written).writerow(names)
    return f"--ignore_columns={shlex.quote(written.getvalue().strip())}"
