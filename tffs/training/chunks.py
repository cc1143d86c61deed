"""Everything random in a chunk of training steps, drawn at once and ahead of the loop.

Random numbers are slow inside XLA on a CPU and differ between XLA and not; drawn here they are fast, the
same for every --jit, and ready before the loop asks, because tf.data prefetches them.
"""

import copy
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import tensorflow as tf

from tffs.available_memory import available_memory
from tffs.data import draws
from tffs.data.episodes import EpisodeGenerator
from tffs.data.untuned import untuned
from tffs.data.worker_share import WorkerShare

MOST_STEPS = 100
MOST_BYTES = 64 * 2**20


class Chunk(NamedTuple):
    """The inputs of `steps` training steps.

    Attributes:
        support: float32 [steps, episodes, N_S, features].
        query: float32 [steps, episodes, N_Q, features].
        noise: float32 [steps, episodes, K, features] standard Gumbel draws; K is 0 without noise.
        labels: int32 [steps, episodes, N_Q] of the query rows; [steps, episodes, 0] where nothing needs them.
    """

    support: tf.Tensor
    query: tf.Tensor
    noise: tf.Tensor
    labels: tf.Tensor


class Drawn(Protocol):
    """What gives the steps of a training in chunks; `Chunks` gives those of algorithm 1.

    Attributes:
        length: steps of a chunk.
    """

    length: int

    @property
    def spec(self) -> Any:
        """The shapes of a chunk."""

    def of_worker(self, index: int, count: int) -> "Drawn":
        """Give the share of worker `index` of `count`."""

    def drawn(self, first_chunk: int) -> Iterator[Any]:
        """Stream chunks without end from number `first_chunk` on."""


class Chunks:
    """Draws chunk c, which holds steps c * length to (c + 1) * length - 1.

    What a step gets is a function of (seed, step) alone; the length only bounds memory.

    Args:
        episodes: where episodes come from.
        episodes_per_step: episodes in one step.
        num_selected: K, how many Concrete variables need noise; 0 for none.
        seed: the run's seed.
    """

    def __init__(
        self, episodes: EpisodeGenerator, episodes_per_step: int, num_selected: int, seed: int
    ) -> None:
        self._episodes = episodes
        self._episodes_per_step = episodes_per_step
        self._num_selected = num_selected
        self._seed = seed
        self._share: WorkerShare | None = None
        rows = episodes.support_size + episodes.query_size
        # What is handed over, and the comparisons of rows with each other that sampling makes on the way.
        numbers = (rows + num_selected) * episodes.num_features + 4 * rows**2 + episodes.num_labels
        self._bytes_per_episode = 4 * numbers
        bytes_per_step = episodes_per_step * self._bytes_per_episode
        self.length = int(np.clip(MOST_BYTES // bytes_per_step, 1, MOST_STEPS))

    def of_worker(self, index: int, count: int) -> "Chunks":
        """Give the chunks in which every step has only the episodes of worker `index` of `count`.

        Together the workers get exactly the episodes and the noise that one worker would.
        """
        if count == 1:
            return self
        if self._episodes_per_step % count:
            raise ValueError(
                f"Expected episodes_per_step to be divisible by the number of workers, {count}. "
                f"Received: {self._episodes_per_step}."
            )
        size = self._episodes_per_step // count
        part = copy.copy(self)
        part._share = WorkerShare(self._episodes_per_step, index * size, size)
        return part

    @property
    def spec(self) -> Chunk:
        """The shapes of a chunk."""
        lead = (self.length, self._episodes_per_step if self._share is None else self._share.size)
        features = self._episodes.num_features
        rows = (self._episodes.support_size, self._episodes.query_size, self._num_selected)
        support, query, noise = (tf.TensorSpec((*lead, count, features), tf.float32) for count in rows)
        return Chunk(support, query, noise, tf.TensorSpec((*lead, self._episodes.num_labels), tf.int32))

    def draw(self, chunk: tf.Tensor) -> Chunk:
        """Draw chunk number `chunk`, an int64 scalar."""
        return self.of(self.rows(chunk), self.noise(chunk))

    def rows(self, chunk: tf.Tensor) -> tf.Tensor:
        """Draw the numbers of the rows of chunk number `chunk`: int64 [steps * episodes, N_S + N_Q]."""
        count = self.length * self._episodes_per_step
        return self._episodes.rows(chunk * count, count, self._share)

    def noise(self, chunk: tf.Tensor) -> tf.Tensor:
        """Draw the noise of chunk number `chunk`: float32 [steps * episodes, K * features]."""
        width = self._num_selected * self._episodes.num_features
        if not width:
            return tf.zeros([0])
        count = self.length * self._episodes_per_step
        return draws.gumbel(self._seed, draws.TRAINING_NOISE, chunk * count, count, width, self._share)

    def of(self, rows: tf.Tensor, noise: tf.Tensor) -> Chunk:
        """Put a chunk together from what `rows` and `noise` gave."""
        support, query, labels = self._episodes.episodes_of(rows)
        parts = zip((support, query, noise, labels), self.spec, strict=True)
        return Chunk(*(tf.reshape(part, spec.shape) for part, spec in parts))

    def same_noise(self, other: "Chunks") -> bool:
        """Tell whether `noise` of both gives the same."""
        mine, others = (
            (*each._steps(), each._seed, each._num_selected, each._episodes.num_features)
            for each in (self, other)
        )
        return mine == others

    def same_rows(self, other: "Chunks") -> bool:
        """Tell whether `rows` of both gives the same."""
        return self._steps() == other._steps() and self._episodes.same_rows(other._episodes)

    def _steps(self) -> tuple[Any, ...]:
        return self.length, self._episodes_per_step, self._share

    def dataset(self, first_chunk: int) -> tf.data.Dataset:
        """Stream chunks without end from number `first_chunk` on, one drawn ahead."""
        return streamed(self.draw, first_chunk)

    def drawn(self, first_chunk: int) -> Iterator[Chunk]:
        """Give the chunks of `dataset`.

        Rows that cannot be read raise `UserError`; a step that is larger than the memory raises `MemoryError`,
        at once and not when it is all taken.
        """
        needed, free = self.spec.support.shape[1] * self._bytes_per_episode, available_memory()
        if free is not None and needed > free:
            raise MemoryError(f"one step's rows take {needed / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free")
        iterator = iter(self.dataset(first_chunk))
        while True:
            try:
                chunk = next(iterator)
            except tf.errors.OpError as error:
                raise self._episodes.failure or error from error
            yield chunk


def streamed(draw: Callable[[tf.Tensor], Any], first_chunk: int) -> tf.data.Dataset:
    """Stream what `draw` makes of chunk numbers, without end from `first_chunk` on, one drawn ahead."""
    numbers = tf.data.Dataset.counter(start=np.int64(first_chunk), step=np.int64(1))
    return untuned(numbers.map(tf.autograph.experimental.do_not_convert(draw)).prefetch(1))
