"""What a person gets from a model."""

from typing import Generic, NamedTuple, TypeVar

import pandas as pd

Result = TypeVar("Result")


class Answer(NamedTuple, Generic[Result]):
    """A result, and sentences for the person on what may not be what was meant."""

    result: Result
    notes: list[str]


class Reconstruction(NamedTuple):
    """All features of rows, and between which values they are likely to be.

    Attributes:
        values: the rows in raw units; measured features as they were measured.
        low: the lower ends of the intervals, the measured values themselves where there are any.
        high: the upper ends.
    """

    values: pd.DataFrame
    low: pd.DataFrame
    high: pd.DataFrame
