"""What a fit asks the model of a recipe, answered in NumPy and before calibration."""

from collections.abc import Iterator

import numpy as np

from tffs.posterior.belief import belief_of
from tffs.posterior.decoding import Decoding
from tffs.posterior.picking import pick
from tffs.posterior.recipe import RIDGE, Kitchen, Recipe

BLOCK_NUMBERS = 4_000_000  # that are computed with at once


class Answers:
    """Answers questions about tasks as `PosteriorSelector` does; nothing is traced.

    Args:
        kitchen: of the source.
        recipe: of the model.
        support: [questions, support, features].
        mask: bool [questions, support], False where a row only pads.
    """

    def __init__(self, kitchen: Kitchen, recipe: Recipe, support: np.ndarray, mask: np.ndarray) -> None:
        self._belief = belief_of(kitchen.prior(recipe.full), recipe.nu, support, mask)
        self._mixture = kitchen.mixture(recipe)
        self._weights = kitchen.weights
        self._source_mean = kitchen.source.row_mean()
        low, high = kitchen.source.range()
        present = mask[..., None]
        self._low = np.minimum(low, np.where(present, support, np.inf).min(axis=1, initial=np.inf))
        self._high = np.maximum(high, np.where(present, support, -np.inf).max(axis=1, initial=-np.inf))

    def first(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Give the first features, int [questions, count], and the expected errors with 0, 1, ... of them.

        Errors are shares of that of answering the source rows' mean: [questions, count + 1].
        """
        found = [
            pick(self._belief.part(here), self._weights, RIDGE, count)
            for here in _blocks(len(self._belief.mean), self._belief.known.numbers)
        ]
        chosen, errors = (np.concatenate(parts) for parts in zip(*found, strict=True))
        by_mean = errors[:, 0] + np.square(self._belief.mean - self._source_mean) @ self._weights
        return chosen, errors / np.maximum(by_mean, 1e-30)[:, None]

    def means(self, rows: np.ndarray, features: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Infer rows [questions, rows, M] from their features [questions, k], some questions at a time.

        Yields:
            Which questions, and what is inferred of them, where measured values come back as they were.
        """
        for here, decoding in self._decoded(rows, features, 0):
            yield here, self._answer(decoding, rows[here], features[here], here)

    def infer(self, rows: np.ndarray, features: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Give variances as well, measured features' among them; see `means`."""
        for here, decoding in self._decoded(rows, features, rows[0].size):
            yield here, self._answer(decoding, rows[here], features[here], here), decoding.variance()

    def _decoded(self, rows: np.ndarray, features: np.ndarray, more: int) -> Iterator[tuple[slice, Decoding]]:
        """Decode rows of as many questions at once as memory allows, with `more` numbers for each component."""
        (_, count, width), measured = rows.shape, features.shape[1]
        components = 1 if self._mixture is None else len(self._mixture.components.counts)
        numbers = components * (measured * (count + width) + more) + count * width
        for here in _blocks(len(rows), numbers):
            values = np.take_along_axis(rows[here], features[here, None], axis=2)
            yield here, Decoding(self._belief.part(here), self._mixture, RIDGE, features[here], values)

    def _answer(self, decoding: Decoding, rows: np.ndarray, features: np.ndarray, here: slice) -> np.ndarray:
        """Give means within the range of the source tasks and the support."""
        answer = decoding.mean()
        np.clip(answer, self._low[here, None], self._high[here, None], out=answer)
        np.put_along_axis(
            answer, features[:, None], np.take_along_axis(rows, features[:, None], axis=2), axis=2
        )
        return answer


def _blocks(questions: int, numbers: int) -> Iterator[slice]:
    """Give the questions that are answered at once, if each takes so many numbers."""
    size = max(BLOCK_NUMBERS // numbers, 1)
    for start in range(0, questions, size):
        yield slice(start, start + size)
