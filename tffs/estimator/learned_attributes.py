"""What a fitted selector tells: its learned attributes and pictures."""

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tffs.estimator.choice import Choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tffs.estimator.left_out_figures import LeftOutFigures
    from tffs.report.subject import Making
    from tffs.serving.front_door import FrontDoor


class LearnedAttributes:
    """The attributes of a fitted selector, which are computed when they are asked for."""

    n_features_in_: int
    _door: "FrontDoor"
    _figures: "LeftOutFigures"
    _making: "Making | None" = None  # of a model that was loaded
    _result: "Mapping[str, Any] | None" = None  # what was measured of it

    def _choice(self) -> Choice:
        """Choose, with the parameters as they are now."""
        raise NotImplementedError

    def _check_fitted(self) -> None:
        """Raise NotFittedError before `fit`."""
        raise NotImplementedError

    @property
    def order_(self) -> np.ndarray:
        """The features that may be chosen, best first."""
        return np.asarray(list(dict.fromkeys(self._choice().ranked["feature"])), object)

    @property
    def ranking_(self) -> np.ndarray:
        """A rank for each feature: 1 if it is selected, and more the later it would be."""
        choice, ranks = self._choice(), np.zeros(self.n_features_in_, np.int64)
        chosen, ranked = choice.indices, choice.ranked["index"].to_numpy()
        rest = [index for index in ranked if index not in set(chosen.tolist())]
        ranks[:] = len(rest) + 2  # what may not be chosen comes last
        ranks[chosen] = 1
        ranks[rest] = np.arange(2, len(rest) + 2)
        return ranks

    @property
    def error_curve_(self) -> pd.Series:
        """The expected error with 0, 1, ... features."""
        self._need_ranks("error_curve_")
        return self._choice().curve()

    @property
    def expected_error_(self) -> float:
        """The expected error with the selected features."""
        return float(self.error_curve_.iloc[self._choice().number])

    @property
    def novelty_(self) -> float | None:
        """How unlike the source tasks the adapted rows are, from 0 to 1; None if that is not known."""
        return self._choice().ranked.attrs["novelty"]

    @property
    def task_errors_(self) -> pd.DataFrame:
        """A line for each source task, measured when it was left out."""
        self._check_fitted()
        return self._figures.task_errors()

    @property
    def feature_errors_(self) -> pd.DataFrame:
        """A line for each feature, over all tasks that were left out."""
        self._check_fitted()
        return self._figures.feature_errors()

    @property
    def stability_(self) -> Mapping[str, float | None]:
        """How much of a choice stays the same over `supports` of a task, and over `tasks`; 1 is all."""
        self._check_fitted()
        return dict(self._figures.facts()["stability"])

    def plot_error_curve(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the expected error over the number of features, and the measured one if it was measured.

        Args:
            ax: to draw into; a new one if not given.
        """
        from tffs.estimator.plots import error_curve

        self._check_fitted()
        facts = self._figures.facts() if self._figures.measured else None
        choice = self._choice()
        return error_curve(ax, self.error_curve_, choice.number, choice.ranked.attrs["rows"], facts)

    def plot_features(self, ax: "Axes | None" = None) -> "Axes":
        """Draw how well each feature is known from the selected ones, by `feature_errors_`.

        Args:
            ax: to draw into; a new one if not given.
        """
        from tffs.estimator.plots import features

        return features(ax, self.feature_errors_)

    def _need_ranks(self, what: str) -> None:
        self._check_fitted()
        if not self._door.describe().ranks:
            raise AttributeError(f"{what} is for method='posterior': this model gives no expected errors.")

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """Show what is known in a notebook: nothing is measured for it."""
        shown = copy.copy(self)
        if hasattr(self, "_figures"):
            shown._figures = self._figures.without_measuring()
        return super(LearnedAttributes, shown)._get_fitted_attr_html(doc_link)  # type: ignore[misc]
