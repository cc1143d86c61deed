"""What is chosen for a task: the ranking of all features, and how many of them are taken."""

import dataclasses
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError

from tffs.errors import UserError, listed, warn
from tffs.estimator.feature_count import feature_count
from tffs.evaluation.curve import suggested
from tffs.serving.front_door import FrontDoor

AUTO = "auto"


@dataclasses.dataclass(frozen=True)
class Limits:
    """What may be measured; see `FewShotFeatureSelector`."""

    include: Iterable[str] = ()
    exclude: Iterable[str] = ()
    costs: Mapping[str, float] | pd.Series | None = None
    budget: float | None = None

    def __post_init__(self) -> None:
        for name in ("include", "exclude"):
            names = getattr(self, name)
            object.__setattr__(self, name, (names,) if isinstance(names, str) else tuple(map(str, names)))
        if self.costs is not None and not isinstance(self.costs, Mapping | pd.Series):
            raise UserError(
                "costs must be a mapping or a Series from names to numbers. Received: "
                f"{type(self.costs).__name__}."
            )

    def arguments(self) -> dict[str, Any]:
        """Give the arguments of `FrontDoor.rank`."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @property
    def any(self) -> bool:
        """Whether there are limits."""
        return bool(self.include or self.exclude) or self.costs is not None or self.budget is not None

    def check(self, names: Collection[str]) -> None:
        """Refuse names that are no features, before a long fit."""
        costs = () if self.costs is None else [str(name) for name, _ in self.costs.items()]
        for what, given in {"include": self.include, "exclude": self.exclude, "costs": costs}.items():
            unknown = [name for name in given if name not in set(names)]
            if unknown:
                raise UserError(f"{what} names {listed(unknown)}, which is no feature: leave it out.")

    def key(self) -> Hashable:
        """Give what tells these limits from others."""
        costs = None if self.costs is None else tuple((str(name), cost) for name, cost in self.costs.items())
        return self.include, self.exclude, costs, self.budget


@dataclasses.dataclass(frozen=True)
class Choice:
    """Features for a task.

    Attributes:
        ranked: all features that may be chosen, best first, as `FrontDoor.rank` gives them; for the paper's
            network the K that its selectors chose.
        number: how many of them are taken.
    """

    ranked: pd.DataFrame
    number: int

    @property
    def indices(self) -> np.ndarray:
        """The chosen features, best first: int [number]; distinct."""
        return pd.unique(self.ranked["index"].to_numpy()[: self.number])

    def curve(self) -> pd.Series:
        """Give the expected error with 0, 1, ... measured features."""
        errors = [self.ranked.attrs["expected_error_of_none"], *self.ranked["expected_error"].tolist()]
        return pd.Series(errors, pd.RangeIndex(len(errors), name="n_features"), name="expected_error")


def choose(door: FrontDoor, rows: Any, wanted: int | float | str, limits: Limits) -> Choice:
    """Choose features.

    Args:
        door: the model.
        rows: of the task, or None.
        wanted: `n_features_to_select`.
        limits: what may be measured.
    """
    description = door.describe()
    if not description.ranks and wanted != AUTO:  # which it refuses below
        if rows is None:
            raise NotFittedError(
                f"method='{description.method}' selects for a task of which {description.sizes_text} rows are "
                "known: call adapt with them first."
            )
        number = feature_count(wanted, description.num_features)
        chosen = door.select(rows, num_selected=number, **limits.arguments())
        return Choice(chosen, len(chosen))
    ranked = door.rank(rows, **limits.arguments())
    included = len(tuple(limits.include))
    if wanted == AUTO:
        errors = [ranked.attrs["expected_error_of_none"], *ranked["expected_error"]]
        return Choice(ranked, max(suggested(errors), included))
    number = feature_count(wanted, description.num_features)
    if number < included:
        raise UserError(
            f"The {included} included features are among the selected ones, so n_features_to_select must be at "
            f"least {included}. Received: {wanted}. Raise it, or include fewer."
        )
    if limits.exclude and limits.budget is None and number > len(ranked):
        warn(
            f"n_features_to_select={wanted} is more than the {len(ranked)} features that are not excluded: all "
            "of them are selected."
        )
    return Choice(ranked, min(number, len(ranked)))
