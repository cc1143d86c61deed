"""Measure a residual network on tasks that were left out."""

import math

import numpy as np
import tensorflow as tf

from tffs.models import PosteriorSelector
from tffs.posterior.choosing import Questions, counts_for
from tffs.training.validation import Validation


class ResidualValidator:
    """Measures the network as it is; what the closed form infers is computed once.

    The error is that by which recipes are chosen: the geometric mean over questions and numbers of measured
    features.

    Args:
        closed: the closed form.
        model: the same with a residual network.
        questions: about tasks that it has not seen.
    """

    def __init__(self, closed: PosteriorSelector, model: PosteriorSelector, questions: Questions) -> None:
        self._model = model
        self._questions = questions
        counts = counts_for(model.num_features)
        support, mask = questions.support, questions.support_mask
        order = np.asarray(tf.function(closed.rank, autograph=False)(support, mask).indices)[:, : counts[-1]]
        place = np.eye(model.num_features, dtype=bool)[order]
        infer = tf.function(closed.infer, autograph=False, reduce_retracing=True)
        self._measured = [place[:, :count].any(axis=1)[:, None] for count in counts]
        hidden = [np.where(one, questions.rows, np.float32(np.nan)) for one in self._measured]
        self._inferred = [infer(support, values, mask).mean for values in hidden]
        self._mean = model.prior(support, mask=mask)
        self._measure = tf.function(self._error, autograph=False)

    def measure(self) -> Validation:
        """Validate the network as it is now."""
        return Validation(float(self._measure()), math.nan, math.nan)

    def _error(self) -> tf.Tensor:
        asked, model, network = self._questions, self._model, self._model.residual
        assert network is not None
        present = tf.cast(asked.rows_mask, tf.float32)

        def total(answer: tf.Tensor) -> tf.Tensor:
            squared = tf.math.squared_difference(asked.rows, answer) * model.weights_of_features
            return tf.reduce_sum(present * tf.reduce_sum(squared, axis=-1), axis=1)

        errors = []
        for measured, inferred in zip(self._measured, self._inferred, strict=True):
            rows = inferred + network(inferred, self._mean, measured)
            rows = model.within_range(asked.support, rows, asked.support_mask)
            errors.append(total(tf.where(measured, inferred, rows)))
        shares = tf.stack(errors) / tf.maximum(total(model.source_mean.value), 1e-12)
        return tf.exp(tf.reduce_mean(tf.math.log(tf.maximum(shares, 1e-12))))
