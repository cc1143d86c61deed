"""The covariance of a new row of each task, as a full matrix or as a few factors and a diagonal."""

from typing import NamedTuple

import tensorflow as tf


class DenseCovariance(NamedTuple):
    """Covariances as they are.

    Attributes:
        matrix: [tasks, features, features].
    """

    matrix: tf.Tensor

    @property
    def features(self) -> int:
        """The number of features M."""
        return self.matrix.shape[-1]

    @property
    def variances(self) -> tf.Tensor:
        """The variance of each feature: [tasks, features]."""
        return tf.linalg.diag_part(self.matrix)

    def columns(self, task: tf.Tensor, features: tf.Tensor) -> tf.Tensor:
        """Give columns of one task's matrix: [features, chosen]."""
        return tf.gather(self.matrix[task], features, axis=1)


class FactoredCovariance(NamedTuple):
    """Covariances F A F^T + diag(d), which take little memory where there are many features.

    Attributes:
        factor: F, [tasks, features, rank].
        core: A, [tasks, rank, rank], positive semidefinite.
        diagonal: d, [tasks, features].
        variances: the variance of each feature, [tasks, features].
    """

    factor: tf.Tensor
    core: tf.Tensor
    diagonal: tf.Tensor
    variances: tf.Tensor

    @property
    def features(self) -> int:
        """The number of features M."""
        return self.factor.shape[1]

    def columns(self, task: tf.Tensor, features: tf.Tensor) -> tf.Tensor:
        """Give columns of one task's matrix: [features, chosen]."""
        factor = self.factor[task]
        chosen = tf.linalg.matmul(self.core[task], tf.gather(factor, features), transpose_b=True)
        own = tf.one_hot(features, tf.shape(factor)[0], axis=0, dtype=factor.dtype)
        return tf.linalg.matmul(factor, chosen) + own * self.diagonal[task][:, None]


Covariance = DenseCovariance | FactoredCovariance
