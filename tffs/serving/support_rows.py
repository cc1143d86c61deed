"""Support rows as a person gives them, and whether their units may be wrong."""

from typing import Any

import numpy as np

from tffs.errors import UserError, listed
from tffs.serving.description import Description
from tffs.serving.frames import lacking, numbers


def support_of(description: Description, rows: Any) -> tuple[np.ndarray, list[str]]:
    """Take the support rows by the names of their columns, and note where their units may be wrong.

    Args:
        description: of the model.
        rows: a frame or an array; None for no rows.

    Returns:
        float32 [rows, M], and sentences.
    """
    if rows is None:
        if not description.ranks:
            raise UserError(
                f"This model takes {description.sizes_text} support rows of {description.num_features} "
                "features. Received: none. Give them, or train a model of the method posterior, which needs "
                "none."
            )
        return np.zeros((0, description.num_features), np.float32), []
    missing = lacking(rows, description.feature_names)
    if missing:
        raise UserError(
            f"The rows lack {len(missing)} of the model's {description.num_features} features: "
            f"{listed(missing)}; give a column for each."
        )
    support = numbers(rows, description.feature_names, "rows", least=0 if description.ranks else 1)
    description.check_support(support)
    return support, far_outside(description, "support rows", support)


def far_outside(description: Description, what: str, rows: np.ndarray) -> list[str]:
    """Note where the units of rows [rows, M] may be wrong."""
    outside = description.far_outside(rows)
    if not outside:
        return []
    return [
        f"{len(outside)} feature(s) of the {what} are far outside what the source tasks showed; are the units "
        f"right? {'; '.join(outside[:3])}"
    ]
