"""How well each feature is known where it is not measured, summed over tasks, for every number of features."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class FeatureSums:
    """Sums over the rows of tasks for which a feature was not measured, each [counts, features].

    Attributes:
        squared: squared errors in scaled units.
        squared_by_mean: the same of answering the source rows' mean.
        covered: how many values lie in their 90 % intervals.
        rows: how many values were inferred.
        chosen: for how many tasks the feature was measured.
    """

    squared: np.ndarray
    squared_by_mean: np.ndarray
    covered: np.ndarray
    rows: np.ndarray
    chosen: np.ndarray

    @classmethod
    def none(cls, counts: int, features: int) -> "FeatureSums":
        """Give sums over no tasks."""
        return cls(*np.zeros((5, counts, features)))

    def __add__(self, other: "FeatureSums") -> "FeatureSums":
        return FeatureSums(
            *(getattr(self, part.name) + getattr(other, part.name) for part in dataclasses.fields(self))
        )

    def add(
        self,
        place: int,
        measured: np.ndarray,
        present: np.ndarray,
        squared: np.ndarray,
        squared_by_mean: np.ndarray,
        covered: np.ndarray,
    ) -> None:
        """Add tasks of which some features were measured.

        Args:
            place: of the number of measured features among the counts.
            measured: int [tasks, number], the measured features of each task.
            present: bool [tasks, rows], false for padding.
            squared: [tasks, rows, features]; 0 for padding.
            squared_by_mean: the same of answering the source rows' mean.
            covered: bool [tasks, rows, features]; false for padding.
        """
        inferred = np.ones((len(measured), self.rows.shape[1]), bool)
        np.put_along_axis(inferred, measured, False, axis=1)
        self.squared[place] += (squared.sum(axis=1) * inferred).sum(axis=0)
        self.squared_by_mean[place] += (squared_by_mean.sum(axis=1) * inferred).sum(axis=0)
        self.covered[place] += (covered.sum(axis=1) * inferred).sum(axis=0)
        self.rows[place] += present.sum(axis=1) @ inferred
        self.chosen[place] += len(measured) - inferred.sum(axis=0)

    def coverage(self, place: int, varies: np.ndarray) -> float | None:
        """Give which share of the inferred values lies in its interval, without features that never vary."""
        rows = self.rows[place][varies].sum()
        return float(self.covered[place][varies].sum() / rows) if rows else None

    def lines(self, place: int, names: Sequence[str], width: np.ndarray, tasks: int) -> list[dict[str, Any]]:
        """Give for each feature how well it is known where it is not measured, and how often it is chosen.

        Args:
            place: of the number of measured features among the counts.
            names: of the features.
            width: [features], one scaled unit in raw units.
            tasks: how many tasks there are.
        """
        found = zip(
            names, width, *(getattr(self, part.name)[place] for part in dataclasses.fields(self)), strict=True
        )
        return [
            {
                "feature": name,
                "rmse": float(math.sqrt(squared / rows) * unit) if rows else None,
                "share": float(squared / by_mean) if by_mean > 0.0 else None,
                "coverage": float(covered / rows) if rows else None,
                "chosen": float(chosen / tasks),
            }
            for name, unit, squared, by_mean, covered, rows, chosen in found
        ]
