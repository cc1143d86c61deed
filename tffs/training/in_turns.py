"""Several trainings in one process, chunk by chunk in turns, which draw once what is the same in all.

Trainings that differ in N_S alone have the same noise and the same rows, and drawing them is an eighth to a
fifth of a step. The steps themselves stay apart, each in its own compiled loop: in one loop they would push
each other's weights and moments out of the processor's cache, which costs more than it saves.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf

from tffs.training.chunks import Chunk, Chunks, Drawn, streamed
from tffs.training.trainer import Trainer, TrainingSummary


def drawn_once(chunks: Sequence[Chunks]) -> list[Drawn]:
    """Give the same chunks, for trainings that take turns from their first step on: see `train_in_turns`.

    Args:
        chunks: one a training; those whose noise differs from the first's stay as they are.
    """
    together = [each for each in chunks if each.same_noise(chunks[0])]
    source = _Source(together)
    return [_Member(source, together.index(each)) if each in together else each for each in chunks]


def train_in_turns(trainers: Sequence[Trainer]) -> list[TrainingSummary | Exception]:
    """Train all, and give each one's summary or what ended it; one that fails does not end the others."""
    outcomes: dict[int, TrainingSummary | Exception] = {}
    running = {number: trainer.chunk_by_chunk() for number, trainer in enumerate(trainers)}
    while running:
        for number, training in list(running.items()):
            try:
                next(training)
            except StopIteration:
                outcomes[number] = trainers[number].summary()
            except Exception as error:  # whatever it is, the others go on
                outcomes[number] = error.with_traceback(None)  # which would keep the training's memory
            if number in outcomes:
                del running[number]
    return [outcomes[number] for number in range(len(trainers))]


class _Source:
    """Draws chunks for several trainings, each when the first of them asks for it."""

    def __init__(self, chunks: Sequence[Chunks]) -> None:
        self.chunks = list(chunks)
        self._drawn: Iterator[tuple[Chunk, ...]] = iter(())
        self._failure: Exception | None = None
        self._number = -1
        self._latest: tuple[Chunk, ...] = ()

    def chunk(self, number: int) -> tuple[Chunk, ...]:
        """Give chunk `number` for each training; the one before it is forgotten."""
        if self._failure is not None:
            raise self._failure
        if self._number < 0:
            self._drawn = iter(streamed(self._draw, 0))
        if number == self._number + 1:
            try:
                self._latest, self._number = next(self._drawn), number
            except tf.errors.OpError as error:
                self._failure = error  # of all trainings: nothing comes after it
                raise
        assert number == self._number, "the trainings do not take turns"
        return self._latest

    def _draw(self, chunk: tf.Tensor) -> tuple[Chunk, ...]:
        first = self.chunks[0]
        noise, rows = first.noise(chunk), first.rows(chunk)
        return tuple(
            each.of(rows if each.same_rows(first) else each.rows(chunk), noise) for each in self.chunks
        )


class _Member:
    """The chunks of one of the trainings."""

    def __init__(self, source: _Source, place: int) -> None:
        self._source = source
        self._place = place
        self.length = source.chunks[place].length

    @property
    def spec(self) -> Any:
        """The shapes of a chunk."""
        return self._source.chunks[self._place].spec

    def of_worker(self, index: int, count: int) -> "_Member":
        """Give these chunks to the only worker there may be."""
        assert count == 1
        return self

    def drawn(self, first_chunk: int) -> Iterator[Chunk]:
        """Stream chunks without end from the first on."""
        number = first_chunk
        while True:
            yield self._source.chunk(number)[self._place]
            number += 1
