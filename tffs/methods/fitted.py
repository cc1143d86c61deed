"""What every method is after fitting: features for a support set, and what it makes of their values."""

import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from tffs.data.batches import batch_rows
from tffs.selection import values_of
from tffs.training.trainer import TrainingSummary


class Fitted(Protocol):
    """A method that was fitted to what it may see.

    Attributes:
        seconds: what fitting took.
        best_step: the training step whose weights it has, or None where nothing was trained.
        any_support: whether it may be asked about other supports than the one it was fitted with.
        classifies: whether its answers are labels instead of reconstructions.
    """

    seconds: float
    best_step: int | None
    any_support: bool
    classifies: bool

    def candidates(self, support: np.ndarray, num_selected: int) -> list[np.ndarray]:
        """Choose features from a support set [N_S, features]; several choices where parameters are open."""

    def answer(self, support: np.ndarray, rows: np.ndarray, selected: np.ndarray) -> np.ndarray | None:
        """Reconstruct rows [rows, features] from their selected features, or predict their labels, int [rows].

        None where the method does neither.
        """


class FittedRun(Fitted, Protocol):
    """What a run is fitted with: it can be saved, loaded, exported and served.

    Attributes:
        model: a Keras model in scaled units; see `tffs.models.protocol`.
        facts: what was chosen in fitting, as JSON can hold it; empty where nothing was.
    """

    model: Any
    facts: dict[str, Any]

    @property
    def summary(self) -> TrainingSummary | None:
        """How it was trained by gradient descent, or None where it was not."""


class FittedModel:
    """A trained model that selects, and reconstructs or classifies.

    Args:
        model: the model; see `tffs.models.protocol`.
        summary: how it was trained.
        any_support: whether it was trained without the target.
    """

    def __init__(self, model: Any, summary: TrainingSummary, any_support: bool = True) -> None:
        self.model = model
        self.summary = summary
        self.facts: dict[str, Any] = {}
        self.seconds = summary.train_seconds
        self.best_step: int | None = summary.best_step
        self.any_support = any_support
        self.classifies = model.num_classes is not None
        support = tf.TensorSpec([None, None, model.num_features], tf.float32)
        self._select = tf.function(model.select, input_signature=[support], autograph=False)

    def candidates(self, support: np.ndarray, num_selected: int) -> list[np.ndarray]:
        """Let the model choose."""
        return [np.asarray(self._select(tf.constant(support[None])))[0]]

    def answer(self, support: np.ndarray, rows: np.ndarray, selected: np.ndarray) -> np.ndarray:
        """Let the model's decoder reconstruct, or classify."""
        decode = self.model.classify if self.classifies else self.model.reconstruct
        step = batch_rows(rows.shape[1])
        parts = [
            np.asarray(decode(support[None], values_of(part[None], selected[None])))[0]
            for part in np.split(rows, range(step, len(rows), step))
        ]
        decoded = np.concatenate(parts)
        return decoded.argmax(axis=-1) if self.classifies else decoded


class FittedRanking:
    """Rankings of all features, of which the first K are taken.

    Args:
        rankings: gives rankings, each [features] and best first, from a support set.
        support: the support set it is fitted with.
        any_support: whether ranking anew for other supports is cheap enough.
    """

    classifies = False

    def __init__(
        self, rankings: Callable[[np.ndarray], list[np.ndarray]], support: np.ndarray, any_support: bool
    ) -> None:
        began = time.perf_counter()
        self._rankings = rankings
        self._support = support
        self._fitted = rankings(support)
        self.seconds = time.perf_counter() - began
        self.best_step: int | None = None
        self.any_support = any_support

    def candidates(self, support: np.ndarray, num_selected: int) -> list[np.ndarray]:
        """Take the first K of each ranking."""
        rankings = self._fitted if np.array_equal(support, self._support) else self._rankings(support)
        return [ranking[:num_selected] for ranking in rankings]

    def answer(self, support: np.ndarray, rows: np.ndarray, selected: np.ndarray) -> None:
        """Give nothing: a ranking comes without a decoder."""
        return None
