"""TaskPrior: what the source tasks say of a new task, and what a support set adds to it.

Tasks have means mu_d ~ N(mu0, B), and rows x ~ N(mu_d, Sigma_d), where Sigma_d scatters around W with an
inverse Wishart distribution of weight nu. From a support S of N rows, N >= 0, with mean xbar follow

    m(S) = mu0 + N B (N B + W)^-1 (xbar - mu0)                                    the task's mean
    V_N  = B - N B (N B + W)^-1 B                                                 how uncertain that is
    C(S) = [nu W + sum_{x in S} (x - m)(x - m)^T + N V_N] / (nu + N) + V_N        covariance of a new row

Where the rows' scatter of a feature is more than `LIMIT` times what C(S) would be without it, the feature
varies in this task as it did in no other. A few rows tell how much it varies, but not how it goes together with
others: the scatter beyond the limit stays on the diagonal, and the rows are shortened for all products.

W and B are kept in the form in which they are both diagonal. In units of `scale`,

    W = (I - Q Q^T) + Q Y Y^T Q^T,        B = rest (I - Q Q^T) + Q Y diag(b) Y^T Q^T

with Q^T Q = I. So every matrix above has the same form, with one function of N and b in the place of b. Q is
the identity for few features, and has a few columns for many.
"""

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from tffs.layers.arguments import positive_int
from tffs.selection.covariance import Covariance, DenseCovariance, FactoredCovariance

LIMIT = 10.0  # 4 was as good on digits_r and a little worse on Parkinson's; 2 was worse on the planted table
TINY = 1e-30


class TaskBelief(NamedTuple):
    """What is known of tasks.

    Attributes:
        rows: N, the number of support rows: [tasks].
        mean: m(S), [tasks, features].
        covariance: C(S), of a new row.
        own: how much of W is in C(S), nu / (nu + N): [tasks].
        root: sqrt(1 / (nu + N)), [tasks].
        trust: what rows are multiplied by where they go beyond the limit, [tasks, features].
        about: trust root (x - m) for the support rows x, [tasks, support, features]; their scatter is in C(S).
    """

    rows: tf.Tensor
    mean: tf.Tensor
    covariance: Covariance
    own: tf.Tensor
    root: tf.Tensor
    trust: tf.Tensor
    about: tf.Tensor


@keras.saving.register_keras_serializable("tffs")
class TaskPrior(keras.layers.Layer):
    """Give what is known of tasks from their support sets.

    Args:
        num_features: M.
        rank: how many columns Q has; None if Q is the identity.

    Call arguments:
        support: [tasks, support, features].
        mask: boolean [tasks, support], False where a support row only pads, or None.

    Output:
        The tasks' means, [tasks, features]. `belief` gives all that is known.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> prior = tffs.TaskPrior(num_features=2)  # as long as nothing is learned: mu0 = 0, B = W = 1
        >>> prior(np.full((1, 3, 2), 8.0)).numpy()  # three rows of 8 and the prior's 0
        array([[6., 6.]], dtype=float32)
        >>> prior(np.zeros((1, 0, 2))).numpy()  # no row at all
        array([[0., 0.]], dtype=float32)
    """

    def __init__(self, num_features: int, rank: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.num_features = positive_int("num_features", num_features)
        self.rank = None if rank is None else positive_int("rank", rank)
        if rank is not None and rank > num_features:
            raise ValueError(f"Expected a rank of at most num_features={num_features}. Received: rank={rank}")

    def build(self, input_shape: Any = None) -> None:
        """Make the weights; until `learn` is called, tasks have zero mean and unit variances."""
        features, rank = self.num_features, self.rank or self.num_features
        self.mean = self._fixed("mean", (features,), "zeros")
        self.scale = self._fixed("scale", (features,), "ones")
        self.axes = self._fixed("axes", (rank, rank), "identity")
        self.axes_inverse = self._fixed("axes_inverse", (rank, rank), "identity")
        self.between = self._fixed("between", (rank,), "ones")
        self.rest = self._fixed("rest", (), "ones")
        self.spread = self._fixed("spread", (), "zeros")
        self.basis = None if self.rank is None else self._fixed("basis", (features, rank), "identity")
        self.built = True

    def _fixed(self, name: str, shape: tuple[int, ...], initializer: str) -> Any:
        return self.add_weight(name=name, shape=shape, initializer=initializer, trainable=False)

    def learn(
        self,
        mean: Any,
        scale: Any,
        axes: Any,
        axes_inverse: Any,
        between: Any,
        rest: float,
        spread: float,
        basis: Any = None,
    ) -> None:
        """Set what was learned from the source tasks.

        Args:
            mean: mu0, [features].
            scale: the units of W and B, [features].
            axes: Y, [rank, rank].
            axes_inverse: its inverse.
            between: b, [rank].
            rest: B's share of W outside Q.
            spread: 1 / nu, how much tasks' covariances differ; 0 if they are all W.
            basis: Q, [features, rank], or None for the identity.
        """
        self.mean.assign(mean)
        self.scale.assign(scale)
        self.axes.assign(axes)
        self.axes_inverse.assign(axes_inverse)
        self.between.assign(between)
        self.rest.assign(rest)
        self.spread.assign(spread)
        if self.basis is not None:
            self.basis.assign(basis)

    def call(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Give the tasks' means, [tasks, features]."""
        return self._mean(*self._rows(support, mask)[:2])

    def few_rows(self, rows: int) -> tf.Tensor:
        """Give what 0, 1, ... rows say by their number alone: see `_without_scatter`."""
        return self._without_scatter(*self._shares(tf.range(rows + 1, dtype=tf.float32)))

    def belief(self, support: Any, mask: Any = None, few_rows: tf.Tensor | None = None) -> TaskBelief:
        """Give all that is known of tasks; a support set may be empty.

        Args:
            support: [tasks, support, features].
            mask: boolean [tasks, support], or None.
            few_rows: what `few_rows` gives, so that it is not computed again, or None.
        """
        rows, mean, support, present = self._rows(support, mask)
        mean = self._mean(rows, mean)
        rows, share, within = self._shares(rows)
        root = tf.sqrt(share)
        about = root[:, None, None] * present * (support - mean[:, None])
        known = self._looked_up(few_rows, rows, share, within)
        variances = known if self.basis is not None else tf.linalg.diag_part(known)
        trust, alone = _limited(about, variances)
        about *= trust[:, None]
        if self.basis is None:
            matrix = known + tf.linalg.matmul(about, about, transpose_a=True) + tf.linalg.diag(alone)
            return TaskBelief(rows, mean, DenseCovariance(matrix), within, root, trust, about)
        core = self._combined(self.between, within, share, rows)
        rest = self._combined(self.rest, within, share, rows)
        factor = tf.broadcast_to(self.scale[:, None] * self.basis, [tf.shape(rows)[0], *self.basis.shape])
        own = tf.tensordot(self.axes * core[:, None, :], self.axes, [[2], [1]])
        own -= rest[:, :, None] * tf.eye(self.basis.shape[1])
        factors = tf.concat([factor, tf.linalg.matrix_transpose(about)], axis=-1)
        covariance = FactoredCovariance(
            factors,
            _with_identity(own, tf.shape(support)[1]),
            rest * tf.square(self.scale) + alone,
            known + alone + tf.reduce_sum(tf.square(about), axis=1),
        )
        return TaskBelief(rows, mean, covariance, within, root, trust, about)

    def covariance_times(self, support: Any, directions: tf.Tensor, mask: Any = None) -> tf.Tensor:
        """Give C(S) Z^T, [tasks, features, directions], of Z [tasks, directions, features] without C(S).

        It costs as many products as there are directions, and differentiates. Q must be the identity.
        """
        rows, mean, support, present = self._rows(support, mask)
        rows, share, within = self._shares(rows)
        about = tf.sqrt(share)[:, None, None] * present * (support - self._mean(rows, mean)[:, None])
        core = self._combined(self.between, within, share, rows)
        axes = self.scale[:, None] * self.axes
        trust, alone = _limited(about, tf.linalg.matmul(core, tf.square(axes), transpose_b=True))
        about *= trust[:, None]
        along = core[:, :, None] * tf.einsum("mr,tkm->trk", axes, directions)
        seen = tf.linalg.matmul(about, directions, transpose_b=True)
        own = alone[:, :, None] * tf.linalg.matrix_transpose(directions)
        return tf.einsum("mr,trk->tmk", axes, along) + tf.linalg.matmul(about, seen, transpose_a=True) + own

    def _shares(self, rows: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Give N, 1 / (nu + N) and nu / (nu + N)."""
        share = self.spread / (1.0 + self.spread * rows)
        return rows, share, 1.0 - share * rows

    def _without_scatter(self, rows: tf.Tensor, share: tf.Tensor, within: tf.Tensor) -> tf.Tensor:
        """Give C(S) without the scatter [tasks, features, features]; with factors, its diagonal."""
        core = self._combined(self.between, within, share, rows)
        if self.basis is None:
            axes = self.scale[:, None] * self.axes
            return tf.tensordot(axes * core[:, None, :], axes, [[2], [1]])
        axes = tf.linalg.matmul(self.basis, self.axes)
        variances = tf.linalg.matmul(core, tf.square(axes), transpose_b=True)
        outside = 1.0 - tf.reduce_sum(tf.square(self.basis), axis=-1)
        variances += self._combined(self.rest, within, share, rows) * outside
        return variances * tf.square(self.scale)

    def _looked_up(
        self, few_rows: tf.Tensor | None, rows: tf.Tensor, share: tf.Tensor, within: tf.Tensor
    ) -> tf.Tensor:
        """Give `_without_scatter`, from what is kept if all tasks have few rows."""
        if few_rows is None:
            return self._without_scatter(rows, share, within)
        return tf.cond(
            tf.reduce_all(rows < few_rows.shape[0]),
            lambda: tf.gather(few_rows, tf.cast(rows, tf.int32)),
            lambda: self._without_scatter(rows, share, within),
        )

    def _rows(self, support: Any, mask: Any) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
        """Give how many rows there are, their means, the rows without padding, and which are not padding."""
        support = tf.convert_to_tensor(support)
        present = tf.ones_like(support[..., :1]) if mask is None else tf.cast(mask, support.dtype)[..., None]
        support = tf.where(present > 0.0, support, 0.0)
        rows = tf.reduce_sum(present, axis=[1, 2])
        mean = tf.reduce_sum(support, axis=1) / tf.maximum(rows, 1.0)[:, None]
        return rows, mean, support, present

    def _mean(self, rows: tf.Tensor, mean: tf.Tensor) -> tf.Tensor:
        away = (mean - self.mean) / self.scale
        rest = _known(self.rest, rows)
        known = _known(self.between, rows)
        if self.basis is None:
            inside = tf.linalg.matmul(away, self.axes_inverse, transpose_b=True)
            moved = tf.linalg.matmul(known * inside, self.axes, transpose_b=True)
        else:
            along = tf.linalg.matmul(away, self.basis)
            inside = tf.linalg.matmul(along, self.axes_inverse, transpose_b=True)
            inside = tf.linalg.matmul(known * inside, self.axes, transpose_b=True) - rest * along
            moved = rest * away + tf.linalg.matmul(inside, self.basis, transpose_b=True)
        return self.mean + self.scale * moved

    def _combined(self, between: Any, within: tf.Tensor, share: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
        """Give C(S) without the scatter, in the place of b."""
        unknown = _unknown(between, rows)
        return within[:, None] + (share * rows + 1.0)[:, None] * unknown

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), "num_features": self.num_features, "rank": self.rank}


def _limited(about: tf.Tensor, variances: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Give what rows are multiplied by and the scatter beyond the limit, each [tasks, features]."""
    scatter = tf.reduce_sum(tf.square(about), axis=1)
    share = tf.minimum(LIMIT * variances / tf.maximum(scatter, TINY), 1.0)
    return tf.sqrt(share), (1.0 - share) * scatter


def _known(between: Any, rows: tf.Tensor) -> tf.Tensor:
    """Give N b / (N b + 1): how much of xbar - mu0 the task's mean follows."""
    product = rows[:, None] * tf.reshape(between, [1, -1])
    return product / (product + 1.0)


def _unknown(between: Any, rows: tf.Tensor) -> tf.Tensor:
    """Give b / (N b + 1), which is V_N in the place of b."""
    between = tf.reshape(between, [1, -1])
    return between / (rows[:, None] * between + 1.0)


def _with_identity(core: tf.Tensor, size: tf.Tensor) -> tf.Tensor:
    """Put an identity of `size` after each matrix, on the diagonal."""
    rank = tf.shape(core)[-1]
    padded = tf.pad(core, [[0, 0], [0, size], [0, size]])
    ones = tf.cast(tf.range(rank + size) >= rank, core.dtype)
    return padded + tf.linalg.diag(ones)
