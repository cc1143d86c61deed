"""Calibration: what variances and expected errors are worth on tasks that were not seen."""

from statistics import NormalDist
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from tffs.layers.arguments import positive_int
from tffs.layers.knots import between, interpolated
from tffs.layers.novelty import Novelty

ROWS = (0, 1, 4, 16)  # support rows that factors are learned for
COUNTS = (0, 1, 2, 4, 8, 16, 32)  # measured features that factors are learned for
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)  # of intervals
LEVEL = 0.9  # at which variances are right: the interval is 1.645 sqrt(variance) to both sides


@keras.saving.register_keras_serializable("tffs")
class Calibration(keras.layers.Layer):
    """Factors that were learned from source tasks that were left out; 1 until then.

    Args:
        num_features: M.
        rank: of the factors by which novelty compares rows; None for full matrices.
    """

    def __init__(self, num_features: int, rank: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.num_features = positive_int("num_features", num_features)
        self.novelty = Novelty(num_features, rank, name="novelty")

    def build(self, input_shape: Any = None) -> None:
        """Make the weights; until `learn` is called they change nothing."""
        shape = (len(ROWS), len(COUNTS))
        self.of_errors = self._fixed("of_errors", shape, "zeros")
        self.of_variances = self._fixed("of_variances", shape, "zeros")
        self.of_features = self._fixed("of_features", (self.num_features,), "ones")
        self.multiples = self._fixed("multiples", (len(LEVELS),), "zeros")
        self.multiples.assign([normal_multiple(level) for level in LEVELS])
        self.novelty.build()
        self.built = True

    def _fixed(self, name: str, shape: tuple[int, ...], initializer: str) -> Any:
        return self.add_weight(name=name, shape=shape, initializer=initializer, trainable=False)

    def learn(self, of_errors: Any, of_variances: Any, of_features: Any, multiples: Any) -> None:
        """Set what was learned.

        Args:
            of_errors: logarithms of what expected errors are multiplied by, [rows, counts].
            of_variances: logarithms of what variances are multiplied by, [rows, counts].
            of_features: what the variances of each feature are multiplied by as well, [features].
            multiples: of the standard deviation, for intervals of each level.
        """
        self.of_errors.assign(of_errors)
        self.of_variances.assign(of_variances)
        self.of_features.assign(of_features)
        self.multiples.assign(multiples)

    def shrink(self, share: float) -> None:
        """Let expected errors and variances be `share` of what they are, where a decoder got better by that.

        A decoder has nothing to decode where no feature was measured.
        """
        fall = np.where(np.array(COUNTS) > 0, np.log(share), 0.0)
        self.of_errors.assign(self.of_errors + fall)
        self.of_variances.assign(self.of_variances + fall)

    def errors(self, rows: tf.Tensor, count: int) -> tf.Tensor:
        """Give what expected errors with 0, 1, ... count - 1 measured features are multiplied by."""
        of_tasks = interpolated(self.of_errors.value, *between(rows, ROWS))
        factors = interpolated(tf.transpose(of_tasks), *between(tf.range(count), COUNTS))
        return tf.exp(tf.transpose(factors))

    def variances(self, rows: tf.Tensor, measured: tf.Tensor) -> tf.Tensor:
        """Give what variances are multiplied by.

        Args:
            rows: N, of the support: [tasks].
            measured: how many features of each row were measured: [tasks, rows].

        Returns:
            [tasks, rows, features].
        """
        of_tasks = interpolated(self.of_variances.value, *between(rows, ROWS))
        lower, share = between(measured, COUNTS)
        below, above = (tf.gather(of_tasks, place, batch_dims=1) for place in (lower, lower + 1))
        return tf.exp((1.0 - share) * below + share * above)[..., None] * self.of_features

    def multiple(self, level: float) -> float:
        """Give how many sqrt(variance) an interval of a level reaches to both sides, 1.645 at 0.9.

        What it is of a Gaussian's multiple is interpolated between levels.
        """
        normal = np.array([normal_multiple(one) for one in LEVELS])
        here = normal_multiple(level)
        return float(here * np.interp(here, normal, np.asarray(self.multiples) / normal))

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), "num_features": self.num_features, "rank": self.novelty.rank}


def normal_multiple(level: float) -> float:
    """Give how many standard deviations hold `level` of a Gaussian."""
    return NormalDist().inv_cdf(0.5 + level / 2.0)
