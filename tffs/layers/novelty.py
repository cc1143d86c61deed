"""Novelty: how unlike the source tasks a support set is.

Three numbers are computed from a support set, each of which notices something else. z_nj is how far feature j
of row n is from what all other features of the row make likely, in standard deviations:

    alone       max_j q_j / (1/2 + 90th percentile of q over features)        one feature is off
    all         mean_nj log(1 + z_nj^2)                                       everything is off
    together    mean_nj min(|z'_nj|, 3)                                       features differ in unusual ways

q_j is how far feature j is off in three quarters of the rows, where values beyond those of all source tasks
count more, and z' is z of rows about their own mean. Source tasks that were left out tell what is usual for
each number and for the greatest of the three, by the number of rows.
"""

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from tffs.layers.arguments import positive_int
from tffs.layers.knots import between, interpolated

KNOTS = (1, 2, 4, 16)  # rows that tables are learned for; of more rows, so many are looked at, evenly spread
QUANTILES = 64
BEYOND = 2.0  # what a standard deviation beyond all source tasks counts for, in standard deviations
MOST = 3.0  # standard deviations that one value may count for in `together`
LEAST = 1e-3  # of a number whose logarithm is taken


@keras.saving.register_keras_serializable("tffs")
class Novelty(keras.layers.Layer):
    """Give how unlike the source tasks support sets are, from 0 to 1; NaN where that is not known.

    Args:
        num_features: M.
        rank: of the factors by which rows are compared with the source tasks; None for full matrices.

    Call arguments:
        support: [tasks, support, features].
        mask: boolean [tasks, support], False where a support row only pads, or None.

    Output:
        [tasks]: 0.95 is more unusual than 95 % of the source tasks. NaN without rows, and until it has learned.
    """

    def __init__(self, num_features: int, rank: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.num_features = positive_int("num_features", num_features)
        self.rank = None if rank is None else positive_int("rank", rank)

    def build(self, input_shape: Any = None) -> None:
        """Make the weights."""
        features = self.num_features
        self.mean = self._fixed("mean", (features,))
        self.low = self._fixed("low", (features,))
        self.high = self._fixed("high", (features,))
        self.stddev = self._fixed("stddev", (features,), "ones")
        shapes = (
            [(features, features)] if self.rank is None else [(features,), (features, self.rank), (features,)]
        )
        self.any_task = [self._fixed(f"any_task_{place}", shape) for place, shape in enumerate(shapes)]
        self.one_task = [self._fixed(f"one_task_{place}", shape) for place, shape in enumerate(shapes)]
        self.usual = self._fixed("usual", (len(KNOTS), 3))
        self.spread = self._fixed("spread", (len(KNOTS), 3), "ones")
        self.quantiles = self._fixed("quantiles", (len(KNOTS), QUANTILES))
        self.learned = self._fixed("learned", ())
        self.built = True

    def _fixed(self, name: str, shape: tuple[int, ...], initializer: str = "zeros") -> Any:
        return self.add_weight(name=name, shape=shape, initializer=initializer, trainable=False)

    def compare(self, mean: Any, low: Any, high: Any, stddev: Any, any_task: Any, one_task: Any) -> None:
        """Set what rows are compared with.

        Args:
            mean: of the source tasks' means, [features].
            low: the least values, [features].
            high: the greatest.
            stddev: [features], of rows of one task.
            any_task: P, the inverse of the covariance of rows of any task, as `residuals` takes it.
            one_task: the inverse of the covariance of rows of one task.
        """
        values = (mean, low, high, stddev, *any_task, *one_task)
        weights = (self.mean, self.low, self.high, self.stddev, *self.any_task, *self.one_task)
        for weight, value in zip(weights, values, strict=True):
            weight.assign(value)

    def learn(self, usual: Any, spread: Any, quantiles: Any) -> None:
        """Set what is usual for the three numbers [knots, 3], their spread, and quantiles of the greatest."""
        self.usual.assign(usual)
        self.spread.assign(spread)
        self.quantiles.assign(quantiles)
        self.learned.assign(1.0)

    def call(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Give the novelty: [tasks]."""
        rows, numbers = self.numbers(support, mask)
        place = between(rows, KNOTS)
        usual, spread, quantiles = (
            interpolated(table.value, *place) for table in (self.usual, self.spread, self.quantiles)
        )
        greatest = tf.reduce_max((numbers - usual) / spread, axis=-1)
        known = (rows > 0.0) & (self.learned.value > 0.0)
        return tf.where(known, _share_below(greatest, quantiles), float("nan"))

    def numbers(self, support: Any, mask: Any = None) -> tuple[tf.Tensor, tf.Tensor]:
        """Give how many rows were looked at [tasks], and the logarithms of the three numbers [tasks, 3]."""
        support, present, rows = _evenly(tf.convert_to_tensor(support), mask)
        count = tf.maximum(rows, 1.0)[:, None, None]

        def mean_of(values: tf.Tensor) -> tf.Tensor:
            return tf.reduce_sum(present * values, axis=[1, 2]) / (count[:, 0, 0] * self.num_features)

        away = present * (support - self.mean)
        residuals = self._residuals(away, self.any_task)
        beyond = (support - tf.clip_by_value(support, self.low, self.high)) / self.stddev
        off = _in_most_rows(residuals + BEYOND * beyond, present, rows)
        tenth = tf.math.top_k(off, self.num_features // 10 + 1).values
        alone = tenth[:, 0] / (0.5 + tenth[:, -1])
        everything = mean_of(tf.math.log1p(tf.square(residuals)))
        about = present * (away - tf.reduce_sum(away, axis=1, keepdims=True) / count)
        about *= tf.sqrt(count / tf.maximum(count - 1.0, 1.0))
        together = mean_of(tf.minimum(tf.abs(self._residuals(about, self.one_task)), MOST))
        numbers = tf.math.log(LEAST + tf.stack([alone, everything, together], axis=-1))
        # One row says nothing of how features differ together.
        return rows, tf.where((rows[:, None] < 2.0) & (tf.range(3) == 2), -1e9, numbers)

    def _residuals(self, rows: tf.Tensor, inverse: list[Any]) -> tf.Tensor:
        """Give what each feature is away from what the others make likely, in standard deviations."""
        if self.rank is None:
            return tf.tensordot(rows, inverse[0].value, [[2], [0]])
        diagonal, factors, stddev = (part.value for part in inverse)
        inside = tf.tensordot(rows, factors, [[2], [0]])
        return stddev * (diagonal * rows - tf.tensordot(inside, factors, [[2], [1]]))

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), "num_features": self.num_features, "rank": self.rank}


def _evenly(support: tf.Tensor, mask: Any) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Take rows evenly, at most as many as the last knot: rows, which are present, and how many are."""
    tasks, size = tf.shape(support)[0], tf.shape(support)[1]
    present = tf.ones([tasks, size], tf.bool) if mask is None else tf.cast(mask, tf.bool)
    rows = tf.reduce_sum(tf.cast(present, tf.int32), axis=1)
    taken = tf.minimum(rows, KNOTS[-1])
    places = tf.range(tf.minimum(size, KNOTS[-1]))[None]
    order = tf.argsort(tf.cast(~present, tf.int32), axis=1, stable=True)
    steps = tf.cast(rows, tf.float32) / tf.cast(tf.maximum(taken, 1), tf.float32)
    wanted = tf.cast(tf.cast(places, tf.float32) * steps[:, None], tf.int32)
    here = places < taken[:, None]
    wanted = tf.gather(order, tf.where(here, wanted, 0), batch_dims=1)
    chosen = tf.where(here[..., None], tf.gather(support, wanted, batch_dims=1), 0.0)
    return chosen, tf.cast(here, tf.float32)[..., None], tf.cast(taken, tf.float32)


def _in_most_rows(values: tf.Tensor, present: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
    """Give how far from 0, to one side, each feature is in three quarters of the rows: [tasks, features]."""
    ordered = tf.sort(tf.where(present > 0.0, values, np.inf), axis=1)
    ordered = tf.pad(ordered, [[0, 0], [0, 1], [0, 0]])  # so that there is a row
    few = tf.cast(tf.math.ceil(rows / 4.0), tf.int32)
    low = tf.gather(ordered, tf.maximum(few - 1, 0), batch_dims=1)
    high = tf.gather(ordered, tf.cast(rows, tf.int32) - few, batch_dims=1)
    return tf.maximum(tf.maximum(low, -high), 0.0)


def _share_below(values: tf.Tensor, quantiles: tf.Tensor) -> tf.Tensor:
    """Give the share of source tasks whose number is less: linear between quantiles, and never 0 or 1."""
    each = 1.0 / (QUANTILES + 1)
    values = values[:, None]
    widths = tf.maximum(quantiles[:, 1:] - quantiles[:, :-1], 1e-6)
    inside = tf.clip_by_value((values - quantiles[:, :-1]) / widths, 0.0, 1.0)
    below = tf.minimum(values - quantiles[:, :1], 0.0)[:, 0]
    above = tf.maximum(values - quantiles[:, -1:], 0.0)[:, 0]
    return each * (tf.exp(below) + tf.reduce_sum(inside, axis=1) + above / (1.0 + above))
