"""What an exported model says of itself, in `assets/description.json` and by the signature `describe`."""

import dataclasses
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np

from tffs.errors import UserError, why_not_finite

FORMATS = (1, 2)
UNUSUAL = 0.95  # novelty from which on a person is told
ADDED = (
    "method",
    "intervals",
    "source_mean",
    "source_stddev",
    "selects_limited",
)  # keys that older exports do not have


@dataclasses.dataclass(frozen=True)
class Description:
    """The facts that a client of a model needs.

    Attributes:
        feature_names: M names.
        num_features: M.
        num_selected: K.
        support_size: N_S, the rows that `select` takes; the largest where the model takes several sizes. Where
            it takes any, the number that its figures were measured with.
        support_sizes: every support size that the model was trained for; None if it takes any, 0 included.
        scaling: what the scaling inside the model is called.
        missing: `median` if the model fills in missing values, else `error`.
        source_low: the least value of each feature in the source tasks, or None if it is not known.
        source_high: the greatest.
        loss: `reconstruction`, or `cross_entropy` for a model that predicts classes.
        classes: the classes' names, or None.
        version: the number of the version folder.
        training: how the model was trained and what was measured, or None if it is not known.
        format: 1, and 2 for a model that takes any support and ranks all features: an older client refuses it.
        method: `concrete` for the paper's network, or `posterior`.
        source_mean: the mean of each feature in the source tasks' rows, or None if it is not known.
        source_stddev: its standard deviation.
        selects_limited: whether it has the signature `select_limited`, which exports have since 0.10.0.
        intervals: for shares of values that an interval covers, such as "0.9", how many standard deviations it
            reaches to either side; None for a model that gives no intervals.
    """

    feature_names: tuple[str, ...]
    num_features: int
    num_selected: int
    support_size: int
    support_sizes: tuple[int, ...] | None
    scaling: str
    missing: str
    source_low: tuple[float, ...] | None
    source_high: tuple[float, ...] | None
    loss: str
    classes: tuple[str, ...] | None
    version: int
    training: Mapping[str, Any] | None
    format: int = 1
    method: str = "concrete"
    intervals: Mapping[str, float] | None = None
    source_mean: tuple[float, ...] | None = None
    source_stddev: tuple[float, ...] | None = None
    selects_limited: bool = False

    @classmethod
    def from_json(cls, values: Any) -> "Description":
        """Build from what `to_json` gave; ValueError if it is something else."""
        if not isinstance(values, dict) or values.get("format") not in FORMATS:
            raise ValueError(f"this is no description of format {' or '.join(map(str, FORMATS))}")
        names = [field.name for field in dataclasses.fields(cls)]
        try:
            known: dict[str, Any] = {
                name: values[name] for name in names if name in values or name not in ADDED
            }
        except KeyError as error:
            raise ValueError(f"the description lacks {error}") from error
        known.update({name: tuple(value) for name, value in known.items() if isinstance(value, list)})
        found = cls(**known)
        if not len(found.feature_names) == found.num_features >= found.num_selected:
            raise ValueError("the description contradicts itself")
        return found

    def to_json(self) -> dict[str, Any]:
        """Give the JSON document."""
        return dataclasses.asdict(self)

    def check_support(self, support: np.ndarray) -> None:
        """Say what is wrong with the support rows of one task, if anything is."""
        fits = support.ndim == 2 and support.shape[1] == self.num_features
        if not fits or (self.support_sizes is not None and len(support) not in self.support_sizes):
            sizes = self.sizes_text
            given = (
                " rows of ".join(map(str, support.shape)) if support.ndim == 2 else f"{support.ndim} dimensions"
            )
            raise UserError(
                f"This model takes {sizes} support rows of {self.num_features} features. Received: {given}. "
                f"Give exactly {sizes} rows, or train a model for another number of rows."
            )
        bad = self.not_finite(support)
        if bad is not None:
            row, feature = bad
            raise UserError(
                f"The support rows must be finite numbers, but '{self.feature_names[feature]}' in row "
                f"{row + 1} {why_not_finite(support[row, feature])}."
            )

    @property
    def ranks(self) -> bool:
        """Whether it ranks all features for any support, and infers all others from any."""
        return self.support_sizes is None

    @property
    def sizes_text(self) -> str:
        """Name the support sizes that it takes."""
        return "any number of" if self.support_sizes is None else " or ".join(map(str, self.support_sizes))

    def error_weights(self) -> np.ndarray | None:
        """Give how much a squared error of each feature counts in raw units; None if that is not known.

        It counts as in the units that the model's scaling makes; that of a constant feature does not count.
        """
        if self.source_stddev is None or self.source_low is None or self.source_high is None:
            return None
        width = np.asarray(self.source_high, np.float64) - np.asarray(self.source_low, np.float64)
        if self.scaling == "none":
            return np.ones_like(width)
        scale = width if self.scaling == "minmax" else np.asarray(self.source_stddev, np.float64)
        return np.where(width > 0, 1.0 / np.square(np.where(width > 0, scale, 1.0)), 0.0)

    def widening(self, level: float) -> float:
        """Give by how much 90 % intervals must be widened to cover a share `level` of the values.

        Between the levels that are known, the ratio to the normal distribution's interval is interpolated.
        """
        assert self.intervals is not None
        levels = sorted(self.intervals, key=float)
        known = np.array([_normal(float(text)) for text in levels])
        ratios = np.array([self.intervals[text] for text in levels]) / known
        wanted = _normal(level)
        return float(np.interp(wanted, known, ratios) * wanted / self.intervals["0.9"])

    def not_finite(self, rows: np.ndarray) -> tuple[int, int] | None:
        """Find the row and the column of the first value that the model cannot compute with."""
        bad = np.argwhere(np.isinf(rows) if self.missing == "median" else ~np.isfinite(rows))
        return tuple(bad[0]) if len(bad) else None

    def far_outside(self, rows: np.ndarray) -> list[str]:
        """Say which features of `rows` are so far outside the source tasks' ranges that the unit may be wrong.

        Far is beyond the range by more than the range is wide; of a feature that was constant in the source
        tasks, by more than its value and than the typical range of the others.
        """
        if self.source_low is None or self.source_high is None:
            return []
        low, high = np.asarray(self.source_low, np.float64), np.asarray(self.source_high, np.float64)
        width = high - low
        varies = width > 0
        typical = np.median(width[varies]) if varies.any() else 0.0
        width = np.where(varies, width, np.maximum(np.abs(high), typical))
        seen_low, seen_high = np.nanmin(rows, axis=0, initial=np.inf), np.nanmax(rows, axis=0, initial=-np.inf)
        far = np.flatnonzero((seen_low < low - width) | (seen_high > high + width))
        return [
            f"'{self.feature_names[i]}' {seen_low[i]:.4g} to {seen_high[i]:.4g} (source tasks: {low[i]:.4g} to "
            f"{high[i]:.4g})"
            for i in far
        ]


def _normal(level: float) -> float:
    """Give how many standard deviations a normal distribution's interval reaches to either side."""
    return NormalDist().inv_cdf(0.5 + level / 2.0)
