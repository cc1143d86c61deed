"""What a person asks a model, pandas in and out, wherever the model runs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar, overload

import numpy as np
import pandas as pd

from tffs.errors import warn
from tffs.serving import contract, questions
from tffs.serving.answers import Answer, Reconstruction
from tffs.serving.description import Description
from tffs.serving.frames import as_rows
from tffs.serving.model_version import ModelVersion
from tffs.serving.wishes import Wishes

Result = TypeVar("Result")
Rows: TypeAlias = pd.DataFrame | pd.Series | Sequence[Sequence[float]] | Sequence[float] | np.ndarray


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

    def select(
        self,
        rows: Rows | None = None,
        num_selected: int | None = None,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        costs: Mapping[str, float] | pd.Series | None = None,
        budget: float | None = None,
    ) -> pd.DataFrame:
        """Choose features for a task.

        A model of the method posterior takes any number of rows, none included, and all arguments. One of the
        method concrete takes just its N_S rows.

        Args:
            rows: the task's support rows in raw units: a frame with the model's features as columns, in any
                order and among others, or an array [rows, M] in the model's order; one row may be a
                Series or a list.
            num_selected: K; the model's own by default, or fewer where no more may be chosen.
            include: features that are measured anyway; they are taken first, and count towards K and the
                budget.
            exclude: features that cannot be measured; they are still inferred.
            costs: what each feature costs, by name; features are chosen by what they give for their cost.
            budget: what all chosen features may cost together; what cannot be afforded is skipped.

        Returns:
            For the method posterior, the first K lines of `rank`. For the method concrete, one line a selector,
            numbered from 1: `feature` (its name), `index` (in the model's order) and `score` (the probability
            that its selector gives it); selectors may choose the same feature. `.attrs` has the `version` that
            chose, its `method`, the number of `rows`, and `novelty` as for `rank`.
        """
        wishes = Wishes(num_selected, include, exclude, costs, budget)
        return self._told(self._answer(lambda one: questions.select(one, as_rows(rows), wishes)))

    def rank(
        self,
        rows: Rows | None = None,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        costs: Mapping[str, float] | pd.Series | None = None,
        budget: float | None = None,
    ) -> pd.DataFrame:
        """Rank all features that may be chosen, for a model of the method posterior.

        Args:
            rows: the task's support rows, as for `select`; None for what the source tasks alone say.
            include: see `select`.
            exclude: see `select`.
            costs: see `select`.
            budget: see `select`.

        Returns:
            One line a feature, the best first, numbered from 1: `feature`, `index` (in the model's order),
            `expected_error` (the expected squared error of all features once this one and those before it are
            measured, as a share of that of answering the source rows' mean), `score` (by how much it fell), and
            `cost` where costs were given. `.attrs` has the `version`, its `method`, the number of `rows`,
            `novelty` (how unlike the source tasks the rows are, from 0 to 1; None if it is not known) and
            `expected_error_of_none`, with nothing measured.
        """
        wishes = Wishes(None, include, exclude, costs, budget)
        return self._told(self._answer(lambda one: questions.rank(one, as_rows(rows), wishes)))

    @overload
    def reconstruct(self, rows: Any = ..., values: Any = ..., interval: None = ...) -> pd.DataFrame: ...

    @overload
    def reconstruct(self, rows: Any = ..., values: Any = ..., *, interval: float) -> Reconstruction: ...

    def reconstruct(
        self, rows: Any = None, values: Any = None, interval: float | None = None
    ) -> pd.DataFrame | Reconstruction:
        """Give all features of rows of which some were measured.

        Args:
            rows: the task's support rows, as for `select`.
            values: what was measured. For a model of the method posterior: a frame with any of the features as
                columns, or an array [rows, M] in the model's order, NaN where a feature was not measured. For
                the method concrete: the selected features, a frame that has them as columns, in any order, or
                an array [rows, K] in the order that `select` gave; a frame is safer, because its names are
                compared with what the answering version selects, while an array's order may be another
                version's. Other columns of a frame are not read.
            interval: the share of values that intervals shall cover, such as 0.9, for the method posterior.

        Returns:
            All M features in raw units as columns, with the index of `values`. Measured features come back as
            they were given, in 32 bits; for the method concrete, these are the selected ones, and all others
            are inferred, even if `values` has them. With `interval`, a `Reconstruction` of such frames.
        """
        rows, values = as_rows(rows), as_rows(values)
        return self._told(self._answer(lambda one: questions.reconstruct(one, rows, values, interval)))

    def classify(self, rows: Any, values: Any) -> pd.DataFrame:
        """Give the probabilities of the classes of rows, for a model that was trained to predict labels.

        Args:
            rows: the task's support rows, as for `select`.
            values: the measured features, as for `reconstruct`.

        Returns:
            The classes as columns, with the index of `values`.
        """
        rows, values = as_rows(rows), as_rows(values)
        return self._told(
            self._answer(lambda one: questions.ask_with_values(one, rows, values, contract.CLASSIFY))
        )

    @abstractmethod
    def close(self) -> None:
        """Let go of what the model holds, connections for example."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _told(self, answer: Answer[Result]) -> Result:
        for sentence in answer.notes:
            if self._note is not None:
                self._note(sentence)
            else:
                warn(sentence)
        return answer.result
