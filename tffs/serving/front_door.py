"""What a person asks a model, pandas in and out, wherever the model runs."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
import pandas as pd

from tffs.serving import contract
from tffs.serving.description import Description
from tffs.serving.model_version import ModelVersion
from tffs.serving.questions import Answer, ask_with_values, select

Result = TypeVar("Result")


class FrontDoor(ABC):
    """The questions that every model answers in the same way; a subclass knows where the model runs.

    Args:
        note: receives a sentence where an answer may not be what was meant, for example because values are far
            outside those of the source tasks; by default it becomes a Python warning.
    """

    def __init__(self, note: Callable[[str], None] | None) -> None:
        self._note = note

    @abstractmethod
    def _answer(self, question: Callable[[ModelVersion], Result]) -> Result:
        """Let one version of the model answer a question."""

    def describe(self) -> Description:
        """Give what the model says of itself: its features, the rows it takes, how many it selects."""
        return self._answer(lambda one: one.description)

    def select(self, rows: pd.DataFrame | Sequence[Sequence[float]] | np.ndarray) -> pd.DataFrame:
        """Choose features for a task.

        Args:
            rows: the task's N_S support rows in raw units: a frame with the model's features as columns, in any
                order and among others, or an array [N_S, M] in the model's order.

        Returns:
            One line a selector, numbered from 1: `feature` (its name), `index` (in the model's order) and
            `score` (the probability that its selector gives it). Selectors may choose the same feature.
            `.attrs["version"]` is the version that chose.
        """
        return self._told(self._answer(lambda one: select(one, rows)))

    def reconstruct(self, rows: Any, values: Any) -> pd.DataFrame:
        """Give all features of rows of which only the selected ones were measured.

        Args:
            rows: the task's support rows, as for `select`.
            values: the selected features as they were measured: a frame that has them as columns, in any order,
                or an array [rows, K] in the order that `select` gave. Other columns of a frame are not read. A
                frame is safer: its names are compared with what the answering version selects, while an array's
                order may be another version's.

        Returns:
            All M features in raw units as columns, with the index of `values`. Selected features come back as
            they were given, in 32 bits; all others are inferred from them, even if `values` has them.
        """
        return self._told(self._answer(lambda one: ask_with_values(one, rows, values, contract.RECONSTRUCT)))

    def classify(self, rows: Any, values: Any) -> pd.DataFrame:
        """Give the probabilities of the classes of rows, for a model that was trained to predict labels.

        Args:
            rows: the task's support rows, as for `select`.
            values: the measured features, as for `reconstruct`.

        Returns:
            The classes as columns, with the index of `values`.
        """
        return self._told(self._answer(lambda one: ask_with_values(one, rows, values, contract.CLASSIFY)))

    @abstractmethod
    def close(self) -> None:
        """Let go of what the model holds, connections for example."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _told(self, answer: Answer) -> pd.DataFrame:
        for sentence in answer.notes:
            if self._note is not None:
                self._note(sentence)
            else:
                warnings.warn(sentence, stacklevel=3)
        return answer.frame
