"""Validation on fixed episodes, with the hard selection that will be used."""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tffs.data.episodes import EpisodeGenerator
from tffs.selection import distinct_count, values_of
from tffs.training.objective import reconstruction_error

EPISODES = 32


class Validation(NamedTuple):
    """What one validation measured.

    Attributes:
        msre: of the hard selection.
        distinct: mean number of distinct features a selection has.
        confidence: mean over selectors of the probability of their most likely feature.
    """

    msre: float
    distinct: float
    confidence: float


class Validator:
    """Measures a model on the same episodes every time, in one batched call.

    Args:
        model: has `select`, `reconstruct` and `confidence`.
        episodes: where the validation episodes come from.
    """

    def __init__(self, model: Any, episodes: EpisodeGenerator) -> None:
        self._model = model
        with tf.device("CPU:0"):  # where all rows are; only these few go where the model is
            self._support, self._query = episodes.episodes(tf.constant(0, tf.int64), EPISODES)
        self._measure = tf.function(self._figures, autograph=False)

    def _figures(self, support: tf.Tensor, query: tf.Tensor) -> tuple[tf.Tensor, ...]:
        indices = self._model.select(support)
        reconstruction = self._model.reconstruct(support, values_of(query, indices))
        return (
            reconstruction_error(query, reconstruction),
            tf.reduce_mean(tf.cast(distinct_count(indices), tf.float32)),
            tf.reduce_mean(self._model.confidence(support)),
        )

    def measure(self) -> Validation:
        """Validate the model as it is now."""
        return Validation(*(float(figure) for figure in self._measure(self._support, self._query)))

    def error_of(self, answer: np.ndarray) -> float:
        """Give the MSRE of answering every query row with `answer`, [features]."""
        return float(reconstruction_error(self._query, tf.broadcast_to(answer, self._query.shape)))
