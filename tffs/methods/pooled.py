"""Fit the posterior's yardsticks: features in one order for every task, and one Gaussian to decode with."""

import time

import numpy as np
import tensorflow as tf

from tffs.methods.catalogue import Pooled
from tffs.methods.posterior import FittedPosterior, source_of_run
from tffs.models import PosteriorSelector
from tffs.planning.setting import Setting
from tffs.posterior.fitting import weights_of
from tffs.posterior.pooled import pooled_model
from tffs.posterior.source import Source


class FittedOrder(FittedPosterior):
    """Features in one order for every task, and a model that infers the others.

    Args:
        model: of `pooled_model`.
        order: int [features].
        seconds: what fitting took.
    """

    def __init__(self, model: PosteriorSelector, order: np.ndarray, seconds: float) -> None:
        super().__init__(model, seconds, {})
        self.order = order

    def candidates(self, support: np.ndarray, num_selected: int) -> list[np.ndarray]:
        """Take the first K."""
        return [self.order[:num_selected]]


def fit(method: Pooled, setting: Setting) -> FittedOrder:
    """Take the covariance of all rows that a run learns from, and order the features."""
    began = time.perf_counter()
    source, _ = source_of_run(setting)
    config = setting.config
    assert config.data.scaling is not None
    model = pooled_model(
        source, weights_of(source, config.data.scaling, setting.feature_weights), config.model.num_selected
    )
    order = order_of(method.order, source, model, config.seed)
    return FittedOrder(model, order, time.perf_counter() - began)


def order_of(name: str, source: Source, model: PosteriorSelector, seed: int) -> np.ndarray:
    """Order all features: int [features].

    Args:
        name: `greedy`, `variance` or `random`.
        source: the tasks to learn from.
        model: what `pooled_model` makes of them.
        seed: of the random order.
    """
    if name == "greedy":
        return np.asarray(model.rank(tf.zeros([1, 0, source.num_features])).indices)[0]
    if name == "variance":
        return np.argsort(-source.row_variance(), kind="stable")
    return np.random.default_rng([seed, 3]).permutation(source.num_features)
