"""Ask models of the same structure one after the other, and trace their functions once."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tffs.models import PosteriorSelector
from tffs.models.posterior_selector import Ranking


class _Traced(NamedTuple):
    """A model with functions of its own; models like it lend it their weights."""

    model: PosteriorSelector
    rank: Callable[..., Ranking]
    select: Callable[..., tf.Tensor]
    infer: Callable[..., Any]


class AskedModel:
    """Asks models; what is traced for one serves all that differ from it in their weights alone."""

    def __init__(self) -> None:
        self._traced: dict[str, _Traced] = {}
        self._asked: dict[str, PosteriorSelector] = {}

    def rank(self, model: PosteriorSelector, support: np.ndarray, mask: np.ndarray) -> Ranking:
        """Rank all features."""
        return Ranking(*map(np.asarray, self._of(model).rank(support, mask)))

    def select(self, model: PosteriorSelector, support: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Choose K features."""
        return np.asarray(self._of(model).select(support, mask))

    def infer(
        self, model: PosteriorSelector, support: np.ndarray, mask: np.ndarray, values: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Infer rows: means and variances."""
        mean, variance = self._of(model).infer(support, mask, values)
        return np.asarray(mean), np.asarray(variance)

    def _of(self, model: PosteriorSelector) -> _Traced:
        config = {name: value for name, value in model.get_config().items() if name != "name"}
        key = json.dumps(config, sort_keys=True, default=str)
        if key not in self._traced:
            self._traced[key] = _traced(type(model).from_config(model.get_config()))
        traced = self._traced[key]
        if self._asked.get(key) is not model:
            traced.model.set_weights(model.get_weights())
            self._asked[key] = model
        return traced


def _traced(model: PosteriorSelector) -> _Traced:
    model.build()
    rows = tf.TensorSpec([None, None, model.num_features], tf.float32)
    mask = tf.TensorSpec([None, None], tf.bool)
    return _Traced(
        model,
        tf.function(lambda support, mask: model.rank(support, mask), [rows, mask], autograph=False),
        tf.function(lambda support, mask: model.select(support, mask), [rows, mask], autograph=False),
        tf.function(
            lambda support, mask, values: model.infer(support, values, mask),
            [rows, mask, rows],
            autograph=False,
        ),
    )
