"""What a supervised method is after fitting: features for a support set, and labels of rows."""

import numpy as np

from tffs.evaluation.target import predict_labels
from tffs.experiments.fitted import FittedModel


class FittedClassifier(FittedModel):
    """A trained model with `select` and `classify`; it reconstructs nothing."""

    def predict(self, support: np.ndarray, rows: np.ndarray, selected: np.ndarray) -> np.ndarray:
        """Predict the labels of rows [rows, features] from their selected features: int64 [rows]."""
        return predict_labels(self.model, support, rows, selected)
