"""From log_alpha to features: which feature each of the K selectors takes."""

from tffs.selection.choice import Choice, Choose
from tffs.selection.measured import with_measured
from tffs.selection.select import (
    SELECTIONS,
    choice_of,
    distinct_count,
    known_selection,
    scores_of,
    select,
    values_of,
)

__all__ = [
    "SELECTIONS",
    "Choice",
    "Choose",
    "choice_of",
    "distinct_count",
    "known_selection",
    "scores_of",
    "select",
    "values_of",
    "with_measured",
]
