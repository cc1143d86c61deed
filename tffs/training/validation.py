"""Validation on fixed episodes, with the hard selection that will be used."""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tffs.data.episodes import EpisodeGenerator
from tffs.selection import distinct_count, values_of
from tffs.training.objective import LOSSES, reconstruction_error

EPISODES = 32


class Validation(NamedTuple):
    """What one validation measured.

    Attributes:
        loss: of the hard selection; the MSRE, where features are reconstructed.
        distinct: mean number of distinct features a selection has.
        confidence: mean over selectors of the probability of their most likely feature.
    """

    loss: float
    distinct: float
    confidence: float


class Validator:
    """Measures a model on the same episodes every time, in one batched call.

    Args:
        model: has `select`, `decode` and `confidence`.
        episodes: where the validation episodes come from.
        loss: what is minimized, by its name in `LOSSES`.
    """

    def __init__(self, model: Any, episodes: EpisodeGenerator, loss: str = "reconstruction") -> None:
        self._model = model
        self._loss = LOSSES[loss].of
        with tf.device("CPU:0"):  # where all rows are; only these few go where the model is
            drawn = episodes.labelled_episodes(tf.constant(0, tf.int64), EPISODES)
        self._support, self._query, self._labels = drawn
        self._measure = tf.function(self._figures, autograph=False)

    def _figures(self, support: tf.Tensor, query: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, ...]:
        indices = self._model.select(support)
        decoded = self._model.decode(support, values_of(query, indices))
        return (
            self._loss(query, labels, decoded),
            tf.reduce_mean(tf.cast(distinct_count(indices), tf.float32)),
            tf.reduce_mean(self._model.confidence(support)),
        )

    def measure(self) -> Validation:
        """Validate the model as it is now."""
        figures = self._measure(self._support, self._query, self._labels)
        return Validation(*(float(figure) for figure in figures))

    def accuracy(self) -> float:
        """Give the percentage of query rows whose label the model as it is now predicts."""
        values = values_of(self._query, self._model.select(self._support))
        predicted = np.argmax(self._model.decode(self._support, values), axis=-1)
        return 100.0 * float(np.mean(predicted == self._labels.numpy()))

    def error_of(self, answer: np.ndarray) -> float:
        """Give the MSRE of answering every query row with `answer`, [features]."""
        return float(reconstruction_error(self._query, tf.broadcast_to(answer, self._query.shape)))
