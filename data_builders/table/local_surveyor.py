"""Survey a table in one process."""

import numpy as np

from data_builders.table.survey import Survey
from data_builders.table.surveyor import Surveyor
from data_builders.table.unit import Piece


class LocalSurveyor(Surveyor):
    """Gathers a whole survey; it keeps the values of the features that may be ids.

    Args:
        feature_names: one a feature.
    """

    def __init__(self, feature_names: tuple[str, ...]) -> None:
        super().__init__(feature_names)
        self._values: dict[int, list[np.ndarray]] = {feature: [] for feature in range(len(feature_names))}

    def add(self, piece: Piece) -> tuple[np.ndarray, np.ndarray | None]:
        """Take in a piece, as `Surveyor` does."""
        codes = super().add(piece)
        may_be = set(self.may_be_ids())
        self._values = {feature: values for feature, values in self._values.items() if feature in may_be}
        for feature, values in self._values.items():
            values.append(piece.block.x[feature].copy())  # a view would keep the whole block
        return codes

    def whole_survey(self) -> Survey:
        """Give what was gathered."""
        return self.survey(
            [
                feature
                for feature in self.may_be_ids()
                if self.rows > 1
                and feature in self._values
                and len(np.unique(np.concatenate(self._values[feature]))) == self.rows
            ]
        )
