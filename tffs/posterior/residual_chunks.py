"""What the residual network is trained on: rows that the closed form decoded, drawn ahead of the loop.

The closed form does not depend on the network, so it is computed with the draws and not in the loop. It costs
more than a step of the network, so the rows of an episode serve several steps of its chunk.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tffs.data import draws
from tffs.data.episodes import EpisodeGenerator
from tffs.data.stored_rows import Rows
from tffs.data.tasks import TaskRows
from tffs.data.untuned import untuned
from tffs.models import PosteriorSelector
from tffs.selection.greedy import greedy

MOST_SUPPORT = 8  # N_S is drawn from 1 to this
MOST_MEASURED = 50  # K is drawn from 1 to this, or to half of the features
STEPS_AN_EPISODE = 4
ROWS_A_STEP = 32
LENGTH = 100  # steps of a chunk


class ResidualChunk(NamedTuple):
    """The inputs of `steps` training steps, each of one episode.

    Attributes:
        rows: float32 [steps, rows, features], what is to be inferred.
        inferred: float32 [steps, rows, features], what the closed form makes of them.
        mean: float32 [steps, features], the task's mean.
        measured: bool [steps, features].
        error: float32 [steps], the error that the closed form expects.
        kept: bool [steps, rows, hidden units], False where dropout leaves a unit out.
    """

    rows: tf.Tensor
    inferred: tf.Tensor
    mean: tf.Tensor
    measured: tf.Tensor
    error: tf.Tensor
    kept: tf.Tensor


class ResidualChunks:
    """Draws chunk c, which holds steps c * length to (c + 1) * length - 1.

    An episode, its N_S, its K and its dropout are functions of the seed and of their numbers alone.

    Args:
        model: the closed form with its residual network, whose answers must not change.
        matrix: all rows, in scaled units.
        tasks: those that episodes are drawn of; each must have more than `MOST_SUPPORT` rows.
        seed: the run's seed.
    """

    def __init__(self, model: PosteriorSelector, matrix: Rows | tf.Tensor, tasks: TaskRows, seed: int) -> None:
        assert model.residual is not None
        self._model = model
        self._seed = seed
        self._units = sum(model.residual.hidden_units)
        self._dropout = model.residual.dropout
        self._most = max(min(MOST_MEASURED, model.num_features // 2), 1)
        room = min(tasks.room(MOST_SUPPORT), STEPS_AN_EPISODE * ROWS_A_STEP)
        self._shared = max(room // ROWS_A_STEP, 1)
        self._rows = room // self._shared
        self._episodes = EpisodeGenerator(
            matrix, tasks, MOST_SUPPORT, self._rows * self._shared, seed, draws.RESIDUAL_EPISODES
        )
        self.length = LENGTH - LENGTH % self._shared

    def of_worker(self, index: int, count: int) -> "ResidualChunks":
        """Give these chunks to the only worker there may be."""
        assert count == 1
        return self

    @property
    def spec(self) -> ResidualChunk:
        """The shapes of a chunk."""
        rows, features = (self.length, self._rows), self._model.num_features
        return ResidualChunk(
            tf.TensorSpec((*rows, features)),
            tf.TensorSpec((*rows, features)),
            tf.TensorSpec((self.length, features)),
            tf.TensorSpec((self.length, features), tf.bool),
            tf.TensorSpec((self.length,)),
            tf.TensorSpec((*rows, self._units), tf.bool),
        )

    def sizes(self, first: tf.Tensor, count: int) -> tuple[tf.Tensor, tf.Tensor]:
        """Draw N_S, uniform, and K, log-uniform, of `count` episodes from `first` on: int32 [count] each."""
        u = draws.uniform(self._seed, draws.RESIDUAL_SIZES, first, count, 2, tf.float64)
        support = 1 + tf.cast(u[:, 0] * MOST_SUPPORT, tf.int32)
        measured = tf.cast(tf.exp(u[:, 1] * math.log(self._most + 1)), tf.int32)
        return tf.minimum(support, MOST_SUPPORT), tf.clip_by_value(measured, 1, self._most)

    def draw(self, chunk: tf.Tensor) -> ResidualChunk:
        """Draw chunk number `chunk`, an int64 scalar."""
        count = self.length // self._shared
        support, query = self._episodes.episodes(chunk * count, count)
        sizes, measured = self.sizes(chunk * count, count)
        decoded = tf.map_fn(
            lambda one: self._decoded(*one),
            (support, query, sizes, measured),
            fn_output_signature=(tf.float32, tf.float32, tf.bool, tf.float32),
            parallel_iterations=1,
        )
        inferred, *others = decoded
        u = draws.uniform(
            self._seed,
            draws.RESIDUAL_DROPOUT,
            chunk * self.length,
            self.length,
            self._rows * self._units,
            tf.float32,
        )
        drawn = (self._dealt(query), self._dealt(inferred), *(self._repeated(one) for one in others))
        parts = zip((*drawn, u >= self._dropout), self.spec, strict=True)
        return ResidualChunk(*(tf.reshape(part, spec.shape) for part, spec in parts))

    def _dealt(self, rows: tf.Tensor) -> tf.Tensor:
        """Deal rows [episodes, rows, features] to steps: all episodes once, then once again, ..."""
        rows = tf.reshape(rows, [tf.shape(rows)[0], self._shared, self._rows, self._model.num_features])
        return tf.transpose(rows, [1, 0, 2, 3])

    def _repeated(self, values: tf.Tensor) -> tf.Tensor:
        """Repeat what the steps of an episode share."""
        return tf.repeat(values[None], self._shared, axis=0)

    def _decoded(
        self, support: tf.Tensor, query: tf.Tensor, size: tf.Tensor, count: tf.Tensor
    ) -> tuple[tf.Tensor, ...]:
        """Decode the rows of an episode from the features that are chosen for its first `size` support rows."""
        model = self._model
        support = support[None, :size]
        belief = model.prior.belief(support)
        weights = model.weights_of_features.value
        chosen = greedy(belief.covariance, weights, model.decoder.ridge, self._most).indices[0, :count]
        decoded = model.decoder.decode(belief, tf.constant(0), chosen, tf.gather(query, chosen, axis=1))
        measured = tf.reduce_any(tf.one_hot(chosen, model.num_features, True, False, dtype=tf.bool), axis=0)
        inferred = tf.where(measured, query, model.within_range(support, decoded.mean[None])[0])
        left = tf.where(measured, 0.0, decoded.variance)
        error = tf.reduce_mean(tf.reduce_sum(weights * left, axis=-1))
        return inferred, belief.mean[0], measured, tf.maximum(error, 1e-12)

    def drawn(self, first_chunk: int) -> Iterator[ResidualChunk]:
        """Stream chunks without end from number `first_chunk` on, one drawn ahead."""
        numbers = tf.data.Dataset.counter(start=np.int64(first_chunk), step=np.int64(1))
        chunks: Any = untuned(numbers.map(tf.autograph.experimental.do_not_convert(self.draw)).prefetch(1))
        yield from chunks
