"""ConditionalDecoder: all features of rows from any that were measured, with their variances.

Rows about their task's mean are a mixture of Gaussians: x = m + e, where e ~ N(delta_g, W_g) with probability
pi_g. Measured values u of the features A say which component a row is likely of,

    r_g ~ n_g N(u - m_A; delta_g,A, C_g,AA + eps)^0.7,      C_g = C(S) + nu / (nu + N) (W_g - W)

and what the others are:

    x_hat = m + sum_g r_g (delta_g + C_g,:A (C_g,AA + eps)^-1 (u - m_A - delta_g,A)).

W_g = (n_g S_g + n0 P) / (n_g + n0) is the covariance S_g of the component's n_g rows, drawn to that of all
components, P, the more the more features are measured: n0 = 4 |A|. The power allows for rows that are not quite
Gaussian. The support's scatter in C(S) is then about the centre nearest to each row.

Without components it is one Gaussian: x_hat = m + C_:A (C_AA + eps)^-1 (u - m_A).
"""

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from tffs.layers.arguments import natural_int, positive_int
from tffs.layers.task_prior import TaskBelief

POWER = 0.7  # of likelihoods; 0.6 to 0.8 were equal on Isolet, MNIST-r and Parkinson's, 1 was 0.5 % worse
POOLED_ROWS = 4.0  # n0 for each measured feature; 3 to 5 were equal, a fixed n0 = 100 was 1 to 2 % worse
LEAST_MEASURED = 5.0  # n0 is that of so many features at least


class Decoded(NamedTuple):
    """What rows are likely to be.

    Attributes:
        mean: [..., features].
        variance: [..., features], of what was not measured.
    """

    mean: tf.Tensor
    variance: tf.Tensor


@keras.saving.register_keras_serializable("tffs")
class ConditionalDecoder(keras.layers.Layer):
    """Give the conditional mean and variance of all features.

    Args:
        num_features: M.
        components: G, the number of components of the mixture; 0 for one Gaussian.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> prior, decoder = tffs.TaskPrior(num_features=2), tffs.ConditionalDecoder(num_features=2)
        >>> prior.build()  # two features that are unrelated, as long as nothing is learned
        >>> decoder.build()
        >>> belief = prior.belief(np.zeros((1, 0, 2), "float32"))  # of a task without support rows
        >>> decoded = decoder.decode(belief, task=0, features=[0], values=np.array([[4.0]], "float32"))
        >>> decoded.mean.numpy().round(1), decoded.variance.numpy().round(1)
        (array([[4., 0.]], dtype=float32), array([[0., 2.]], dtype=float32))
    """

    def __init__(self, num_features: int, components: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.num_features = positive_int("num_features", num_features)
        self.components = natural_int("components", components)

    def build(self, input_shape: Any = None) -> None:
        """Make the weights; until `learn` is called, all components are the same."""
        shape = (self.components, self.num_features)
        self.ridge = self._fixed("ridge", (), keras.initializers.Constant(1e-3))
        self.counts = self._fixed("counts", shape[:1], "ones")
        self.centres = self._fixed("centres", shape, "zeros")
        self.deviations = self._fixed("deviations", (*shape, self.num_features), "zeros")
        self.pooled = self._fixed("pooled", (self.num_features,) * 2 if self.components else (0, 0), "zeros")
        self.metric = self._fixed("metric", shape[1:], "ones")
        self.built = True

    def _fixed(self, name: str, shape: tuple[int, ...], initializer: Any) -> Any:
        return self.add_weight(name=name, shape=shape, initializer=initializer, trainable=False)

    def learn(self, ridge: float, counts: Any, centres: Any, deviations: Any, pooled: Any, metric: Any) -> None:
        """Set what was learned from the source tasks.

        Args:
            ridge: eps, by the variances of the measured features.
            counts: n_g, [components].
            centres: delta_g, [components, features].
            deviations: S_g - P, [components, features, features].
            pooled: P - W, [features, features].
            metric: [features], what features are multiplied by in distances from centres.
        """
        self.ridge.assign(ridge)
        self.counts.assign(counts)
        self.centres.assign(centres)
        self.deviations.assign(deviations)
        self.pooled.assign(pooled)
        self.metric.assign(metric)

    def decode(self, belief: TaskBelief, task: tf.Tensor, features: tf.Tensor, values: tf.Tensor) -> Decoded:
        """Decode rows of one task of which the same features were measured.

        Args:
            belief: what is known of tasks.
            task: which of them, a scalar.
            features: int [measured], which were.
            values: [rows, measured].

        Returns:
            Means and variances [rows, features]. Measured features have what the others make of them.
        """
        columns = belief.covariance.columns(task, features)
        variances = belief.covariance.variances[task]
        noise = tf.linalg.diag(self.ridge * tf.gather(variances, features))
        away = values - tf.gather(belief.mean[task], features)
        if not self.components:
            gain, _ = _gain(columns, features, noise)
            mean = belief.mean[task] + _product(away, gain)
            left = tf.maximum(variances - tf.reduce_sum(gain * columns, axis=-1), 0.0)
            return Decoded(mean, tf.broadcast_to(left, tf.shape(mean)))
        own, before, after = belief.own[task], belief.about[task], self._about_centres(belief, task)
        columns += _scatter(after, features) - _scatter(before, features)
        measured = tf.maximum(tf.cast(tf.shape(features)[0], tf.float32), LEAST_MEASURED)
        share = self.counts / (self.counts + POOLED_ROWS * measured)
        columns += own * tf.gather(self.pooled, features, axis=1)
        columns += (own * share)[:, None, None] * tf.gather(self.deviations, features, axis=2)
        variances += tf.reduce_sum(tf.square(after) - tf.square(before), axis=0)
        variances += own * tf.linalg.diag_part(self.pooled)
        variances += (own * share)[:, None] * tf.linalg.diag_part(self.deviations)
        gain, triangle = _gain(columns, features, noise)
        away -= tf.gather(self.centres, features, axis=1)[:, None]
        standard = tf.linalg.triangular_solve(triangle, tf.linalg.matrix_transpose(away))
        likelihoods = -0.5 * tf.reduce_sum(tf.square(standard), axis=1)
        likelihoods -= tf.reduce_sum(tf.math.log(tf.linalg.diag_part(triangle)), axis=-1, keepdims=True)
        shares = tf.nn.softmax(POWER * likelihoods + tf.math.log(self.counts)[:, None], axis=0)[..., None]
        means = self.centres[:, None] + _product(away, gain)
        mean = tf.reduce_sum(shares * means, axis=0)
        left = tf.maximum(variances - tf.reduce_sum(gain * columns, axis=-1), 0.0)
        variance = tf.reduce_sum(shares * (left[:, None] + tf.square(means - mean)), axis=0)
        return Decoded(belief.mean[task] + mean, variance)

    def _about_centres(self, belief: TaskBelief, task: tf.Tensor) -> tf.Tensor:
        """Give the support rows about the centres that are nearest to them, as far as they are trusted.

        Where a row is shortened, it is the shortened row whose nearest centre is looked for.

        Returns:
            [support, features].
        """
        about, root = belief.about[task], belief.root[task] * belief.trust[task]
        centres = self.metric * self.centres
        away = tf.linalg.matmul(self.metric * about, centres, transpose_b=True)
        distances = belief.root[task] * tf.reduce_sum(tf.square(centres), axis=-1) - 2.0 * away
        nearest = tf.gather(self.centres, tf.argmin(distances, axis=-1))
        present = tf.cast(tf.reduce_any(about != 0.0, axis=-1, keepdims=True), about.dtype)
        return about - root * present * nearest

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), "num_features": self.num_features, "components": self.components}


def _scatter(rows: tf.Tensor, features: tf.Tensor) -> tf.Tensor:
    """Give columns of the rows' scatter: [features, measured]."""
    return tf.linalg.matmul(rows, tf.gather(rows, features, axis=1), transpose_a=True)


def _gain(columns: tf.Tensor, features: tf.Tensor, noise: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Give C_:A (C_AA + eps)^-1 from C_:A [..., features, measured], and the triangle of C_AA + eps."""
    block = tf.gather(columns, features, axis=-2) + noise
    triangle = tf.linalg.cholesky(block)
    solved = tf.linalg.cholesky_solve(triangle, tf.linalg.matrix_transpose(columns))
    return tf.linalg.matrix_transpose(solved), triangle


def _product(away: tf.Tensor, gain: tf.Tensor) -> tf.Tensor:
    """Give (u - m_A) gain^T, with a column of zeros: where nothing was measured, oneDNN ends the process."""
    column = [[0, 0]] * (away.shape.rank - 1) + [[0, 1]]
    return tf.linalg.matmul(tf.pad(away, column), tf.pad(gain, column), transpose_b=True)
