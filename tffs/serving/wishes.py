"""What a person wants of a selection, by the names of features."""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from tffs.errors import UserError, listed
from tffs.serving.description import Description

NO_BUDGET = -1.0


@dataclasses.dataclass(frozen=True)
class Wishes:
    """How many features to choose, and which ones may be.

    Attributes:
        num_selected: K, or None for as many as the model says.
        include: names of features that are measured anyway: they are taken first.
        exclude: names of features that cannot be measured; they are still inferred.
        costs: what features cost, by name; features are then chosen by what they give for their cost.
        budget: what all chosen features may cost together.
    """

    num_selected: int | None = None
    include: Iterable[str] = ()
    exclude: Iterable[str] = ()
    costs: Mapping[str, float] | pd.Series | None = None
    budget: float | None = None

    def __post_init__(self) -> None:
        for what in ("include", "exclude"):
            names = getattr(self, what)
            names = [names] if isinstance(names, str) else map(str, names)
            object.__setattr__(self, what, tuple(dict.fromkeys(names)))

    def refuse(self, description: Description) -> None:
        """Say what a model that selects one number of features, and any of them, cannot do."""
        k = description.num_selected
        if self.num_selected is not None and self.num_selected != k:
            raise UserError(
                f"This model selects exactly {k} features. Received: num_selected={self.num_selected}. Ask for "
                f"{k}, or train a model of the method posterior, which selects any number."
            )
        given = [name for name in ("include", "exclude") if getattr(self, name)]
        given += [name for name in ("costs", "budget") if getattr(self, name) is not None]
        if given:
            raise UserError(
                f"This model chooses among all its features. Received: {', '.join(given)}. Leave that out, or "
                "train a model of the method posterior, which can."
            )

    def inputs(self, description: Description) -> dict[str, np.ndarray]:
        """Give the inputs of the signature `rank` for one task, or say what is wrong with the wishes."""
        include = self._places("include", self.include, description)
        exclude = self._places("exclude", self.exclude, description)
        names = np.array(description.feature_names, object)
        both = names[include & exclude]
        if len(both):
            raise UserError(
                f"Expected different features to include and to exclude. Received: {listed(both)} in both. "
                "Leave each out of one of them."
            )
        if exclude.all():
            raise UserError("Every feature is excluded, so none can be chosen: exclude fewer.")
        costs = self._costs(description, exclude)
        return {
            "include": include,
            "exclude": exclude,
            "costs": costs.astype(np.float32),
            "budget": np.array(self._budget(costs, include, exclude), np.float32),
        }

    def number(self, description: Description) -> int:
        """Give K: what was asked for, or what the model says, and at least all that are included."""
        included = len(tuple(self.include))
        if self.num_selected is None:
            return max(description.num_selected, included)
        wanted = self.num_selected
        if not isinstance(wanted, int | np.integer) or not 1 <= wanted <= description.num_features:
            raise UserError(
                f"num_selected must be a whole number from 1 to {description.num_features}. Received: "
                f"{wanted!r}."
            )
        if wanted < included:
            raise UserError(
                f"The {included} included features are among the selected ones, so num_selected must be at "
                f"least {included}. Received: {wanted}. Raise it, or include fewer."
            )
        return int(wanted)

    def _places(self, what: str, wanted: Iterable[str], description: Description) -> np.ndarray:
        """Mark the features that are named: bool [M]."""
        wanted = list(wanted)
        _refuse_unknown(what, wanted, description)
        return np.isin(np.array(description.feature_names, object), np.array(wanted, object))

    def _costs(self, description: Description, exclude: np.ndarray) -> np.ndarray:
        """Give the features' costs [M]; those that cannot be measured need none."""
        if self.costs is None:
            return np.zeros(description.num_features)
        if isinstance(self.costs, pd.Series) and self.costs.index.has_duplicates:
            twice = self.costs.index[self.costs.index.duplicated()].astype(str).tolist()
            raise UserError(f"The costs name {listed(twice)} more than once: give one cost for each feature.")
        given = {str(name): cost for name, cost in self.costs.items()}
        _refuse_unknown("costs", list(given), description)
        costs = np.zeros(description.num_features)
        missing = []
        for place, name in enumerate(description.feature_names):
            if exclude[place]:
                continue
            if name in given:
                costs[place] = _cost(name, given[name])
            else:
                missing.append(name)
        if missing:
            raise UserError(
                f"The costs lack {listed(missing)}: give a cost for every feature that is not excluded, 0 for "
                "one that is free."
            )
        return costs

    def _budget(self, costs: np.ndarray, include: np.ndarray, exclude: np.ndarray) -> float:
        """Give the budget, or a negative number for none."""
        if self.budget is None:
            return NO_BUDGET
        if self.costs is None:
            raise UserError("A budget needs the features' costs: give both, or neither.")
        budget = _number(self.budget)
        if not (math.isfinite(budget) and budget >= 0):
            raise UserError(f"The budget must be a number of at least 0. Received: {self.budget!r}.")
        spent = costs[include].sum()
        if spent > budget * (1 + 1e-6):
            raise UserError(
                f"The included features cost {spent:g} together, more than the budget of {budget:g}: raise it, "
                "or include fewer."
            )
        cheapest = costs[~exclude].min()
        if cheapest > budget:
            raise UserError(
                f"The budget of {budget:g} buys no feature, because the cheapest that is not excluded costs "
                f"{cheapest:g}: raise the budget."
            )
        return budget


def _refuse_unknown(what: str, names: list[str], description: Description) -> None:
    known = set(description.feature_names)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UserError(
            f"Expected names of the model's {description.num_features} features in {what}. Received: "
            f"{listed(unknown)}. Its features are {listed(description.feature_names)}."
        )


def _cost(name: str, value: Any) -> float:
    cost = _number(value)
    if not (math.isfinite(cost) and 0 <= cost <= float(np.finfo(np.float32).max)):
        raise UserError(
            f"A cost must be a finite number of at least 0. Received: {value!r} for '{name}'. Correct it, or "
            "exclude the feature."
        )
    return cost


def _number(value: Any) -> float:
    """Give a number, NaN if it is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan
