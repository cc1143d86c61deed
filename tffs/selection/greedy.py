"""Greedy choice of features: which one, once measured, tells most about all that are not.

The error that is left is sum_m w_m R_mm over the features m that are not measured, where R is the covariance
given those that are. Measuring feature j changes it to R - R_:j R_j: / (R_jj + eps C_jj), where eps C_jj is the
variance of the measurement, so the error falls by

    gain_j = w_j R_jj + sum_{m != j, not measured} w_m R_mj^2 / (R_jj + eps C_jj).

The choice is nested: the first k features are the choice of k.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tffs.selection.covariance import Covariance, DenseCovariance, FactoredCovariance

TINY = 1e-30
UNROLLED = 64  # steps of a graph without a loop
BLOCK = 8  # steps of one turn of a loop


class Limits(NamedTuple):
    """What may be chosen.

    Attributes:
        include: bool [tasks, features], taken first.
        exclude: bool [tasks, features], never taken; it still counts as something to be known.
        costs: [tasks, features], what a feature costs; not negative. The gain is divided by it, and what is
            free comes first.
        budget: [tasks], what all chosen features may cost together; negative for no limit.
    """

    include: tf.Tensor
    exclude: tf.Tensor
    costs: tf.Tensor
    budget: tf.Tensor


class Greedy(NamedTuple):
    """Features in the order in which they are chosen.

    Attributes:
        indices: int32 [tasks, steps]; -1 where nothing more may be chosen.
        errors: [tasks, steps + 1], the error that is left without any, with the first, with the first two ...;
            repeated where nothing more may be chosen.
        variances: [tasks, features], the variance that is left of each feature; 0 of those that are measured.
        spent: [tasks], what they cost together.
    """

    indices: tf.Tensor
    errors: tf.Tensor
    variances: tf.Tensor
    spent: tf.Tensor


def greedy(
    covariance: Covariance,
    weights: tf.Tensor,
    ridge: tf.Tensor,
    steps: int,
    limits: Limits | None = None,
) -> Greedy:
    """Choose features one after the other.

    Args:
        covariance: C, of a new row of each task.
        weights: w, [features], how much an error of each feature counts.
        ridge: eps, the variance of a measurement as a share of the feature's variance.
        steps: how many to choose, at most as many as there are features.
        limits: what may be chosen; None for everything.
    """
    kind: Any = _Dense if isinstance(covariance, DenseCovariance) else _Factored
    # Vectors are rows, [tasks, 1, features], so that they are not reshaped for every product.
    variances = tf.expand_dims(tf.cast(covariance.variances, kind.dtype()), 1)
    weights = tf.cast(weights, kind.dtype()) * tf.ones_like(variances)
    noise = tf.cast(ridge, kind.dtype()) * variances + TINY
    weighted_noise = weights * noise
    unrolled = steps <= UNROLLED
    # Whether there is always something left to choose.
    enough = limits is None and (steps if unrolled else BLOCK * -(-steps // BLOCK)) <= covariance.features
    state = kind.of(covariance, weights)
    start = _Progress(
        state,
        variances,
        state.squares(weights, variances),
        tf.ones_like(variances, tf.bool),
        tf.zeros_like(variances[:, 0, 0], tf.float32),
    )

    def step(now: _Progress) -> tuple[_Progress, tf.Tensor, tf.Tensor]:
        denominators = now.variances + noise
        gains = (now.squares + weighted_noise * now.variances) / denominators
        chosen, possible, cost = _best(tf.cast(gains, tf.float32), now.open_, now.spent, limits)
        denominator, gain, weight = (
            tf.gather(values, chosen, axis=2, batch_dims=1) for values in (denominators, gains, weights)
        )
        root = tf.math.rsqrt(denominator)
        others = tf.one_hot(chosen, covariance.features, False, True, dtype=tf.bool)
        index, spent = chosen, now.spent
        if not enough:
            index, spent = tf.where(possible, chosen, -1), now.spent + cost
            root, gain = (tf.where(possible[..., None], values, 0.0) for values in (root, gain))
            others |= ~possible[..., None]
        open_ = now.open_ & others
        left = tf.where(open_, weights, 0.0)
        column, across, total, state = now.state.measured(chosen, root, left)
        squares = now.squares + column * (column * (total - weight * denominator) - 2.0 * across)
        after = _Progress(state, now.variances - tf.square(column), squares, open_, spent)
        return after, index, gain

    def several(now: _Progress, count: int) -> tuple[_Progress, tf.Tensor, tf.Tensor]:
        indices, gains = [], []
        for _ in range(count):
            now, index, gain = step(now)
            indices.append(index)
            gains.append(gain[..., 0])
        return now, tf.concat(indices, axis=1), tf.concat(gains, axis=1)

    if unrolled:
        now, indices, gains = several(start, steps)
    else:
        now, indices, gains = _looped(several, start, steps, kind.dtype())
    first = tf.reduce_sum(weights * variances, axis=-1)
    errors = tf.concat([first, tf.maximum(first - tf.cumsum(gains, axis=1), 0.0)], axis=1)
    left = tf.where(now.open_, tf.maximum(now.variances, 0.0), 0.0)[:, 0]
    indices = tf.ensure_shape(indices, [None, steps])
    errors = tf.ensure_shape(tf.cast(errors, tf.float32), [None, steps + 1])
    return Greedy(indices, errors, tf.cast(left, tf.float32), now.spent)


def _looped(
    several: Callable[..., tuple["_Progress", tf.Tensor, tf.Tensor]],
    start: "_Progress",
    steps: int,
    dtype: tf.DType,
) -> tuple["_Progress", tf.Tensor, tf.Tensor]:
    """Take steps in a loop of the graph, `BLOCK` at a time."""
    blocks = -(-steps // BLOCK)
    indices = tf.TensorArray(tf.int32, blocks, element_shape=[None, BLOCK])
    gains = tf.TensorArray(dtype, blocks, element_shape=[None, BLOCK])

    def body(block: tf.Tensor, now: _Progress, indices: Any, gains: Any) -> tuple[Any, ...]:
        now, index, gain = several(now, BLOCK)
        now = now._replace(state=now.state.folded())
        return block + 1, now, indices.write(block, index), gains.write(block, gain)

    _, now, indices, gains = tf.while_loop(
        lambda block, *_: block < blocks, body, (0, start, indices, gains), maximum_iterations=blocks
    )
    together = (tf.transpose(array.stack(), [1, 0, 2]) for array in (indices, gains))
    return now, *(tf.reshape(array, [-1, blocks * BLOCK])[:, :steps] for array in together)


class _Progress(NamedTuple):
    """Where the choice stands.

    Attributes:
        state: R.
        variances: R_jj, [tasks, 1, features].
        squares: sum_m w_m R_mj^2 over the features m that are not measured, [tasks, 1, features].
        open_: which are not measured, [tasks, 1, features].
        spent: what the measured ones cost, [tasks].
    """

    state: "_Dense | _Factored"
    variances: tf.Tensor
    squares: tf.Tensor
    open_: tf.Tensor
    spent: tf.Tensor


def with_tail(ranked: Greedy, weights: tf.Tensor, limits: Limits | None) -> Greedy:
    """Rank also what `greedy` left, by the variance that is left of each feature.

    Features that are so far back tell nothing of each other, so each lets the error fall by its own.
    """
    features = tf.shape(ranked.variances)[1]
    taken = tf.reduce_any(tf.equal(ranked.indices[:, None, :], tf.range(features)[None, :, None]), axis=-1)
    allowed = ~taken if limits is None else ~taken & ~limits.exclude
    own = weights * ranked.variances
    worth = own if limits is None else own / tf.maximum(limits.costs, TINY)  # what is free comes first
    order = tf.argsort(tf.where(allowed, worth, -1.0), axis=-1, direction="DESCENDING", stable=True)
    possible = tf.gather(allowed, order, batch_dims=1)
    if limits is not None:
        possible &= _affordable(
            tf.where(possible, tf.gather(limits.costs, order, batch_dims=1), 0.0), ranked, limits
        )
        order = tf.gather(order, tf.argsort(tf.cast(~possible, tf.int32), axis=-1, stable=True), batch_dims=1)
        possible = tf.sort(tf.cast(possible, tf.int32), axis=-1, direction="DESCENDING") > 0
    falls = tf.where(possible, tf.gather(own, order, batch_dims=1), 0.0)
    errors = tf.maximum(ranked.errors[:, -1:] - tf.cumsum(falls, axis=-1), 0.0)
    more = features - tf.shape(ranked.indices)[1]
    return ranked._replace(
        indices=tf.concat([ranked.indices, tf.where(possible, order, -1)[:, :more]], axis=1),
        errors=tf.concat([ranked.errors, errors[:, :more]], axis=1),
    )


def _affordable(costs: tf.Tensor, ranked: Greedy, limits: Limits) -> tf.Tensor:
    """Buy one after the other what the budget is left for, and tell what was bought: bool [tasks, features]."""
    budget = tf.where(limits.budget < 0.0, np.inf, limits.budget * (1.0 + 1e-6))

    def bought(spent: tf.Tensor, cost: tf.Tensor) -> tf.Tensor:
        return tf.where(spent + cost <= budget, spent + cost, spent)

    after = tf.transpose(tf.scan(bought, tf.transpose(costs), ranked.spent))
    before = tf.concat([ranked.spent[:, None], after[:, :-1]], axis=1)
    return before + costs <= budget[:, None]


def _best(
    gains: tf.Tensor, open_: tf.Tensor, spent: tf.Tensor, limits: Limits | None
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Give the best feature of each task and whether there is one, [tasks, 1], and what it costs, [tasks]."""
    if limits is None:
        best = tf.argmax(tf.where(open_, gains, -np.inf), axis=-1, output_type=tf.int32)
        return best, tf.reduce_any(open_, axis=-1), 0.0 * spent
    include, exclude, costs = (tf.expand_dims(part, 1) for part in limits[:3])
    wanted = open_ & include
    budget, left = (part[:, None, None] for part in (limits.budget, limits.budget - spent))
    affordable = (costs <= left * (1.0 + 1e-6)) | (budget < 0.0)
    allowed = tf.where(tf.reduce_any(wanted, axis=-1, keepdims=True), wanted, open_ & ~exclude & affordable)
    free = allowed & (costs <= 0.0)
    candidates = tf.where(tf.reduce_any(free, axis=-1, keepdims=True), free, allowed)
    worth = gains / tf.where(costs > 0.0, costs, 1.0)
    best = tf.argmax(tf.where(candidates, worth, -np.inf), axis=-1, output_type=tf.int32)
    possible = tf.reduce_any(allowed, axis=-1)
    cost = tf.gather(limits.costs, best, axis=1, batch_dims=1)
    return best, possible, tf.where(possible, cost, 0.0)[:, 0]


class _Dense(NamedTuple):
    """R = C - V^T V. In float64, because sums of squares are updated and not computed again.

    Attributes:
        matrix: C, [tasks, features, features].
        taken: V, [tasks, measured, features].
    """

    matrix: tf.Tensor
    taken: tf.Tensor

    @staticmethod
    def dtype() -> tf.DType:
        """What it computes in."""
        return tf.float64

    @classmethod
    def of(cls, covariance: DenseCovariance, weights: tf.Tensor) -> "_Dense":
        """Begin with C."""
        matrix = tf.cast(covariance.matrix, cls.dtype())
        return cls(matrix, tf.zeros_like(matrix[:, :0]))

    def folded(self) -> "_Dense":
        """Give the same with nothing taken, which is what the next turn of a loop begins with."""
        taken = tf.linalg.matmul(self.taken, self.taken, transpose_a=True)
        return _Dense(self.matrix - taken, tf.zeros_like(self.matrix[:, :0]))

    def squares(self, weights: tf.Tensor, variances: tf.Tensor) -> tf.Tensor:
        """Give sum_m w_m C_mj^2: [tasks, 1, features]."""
        return tf.linalg.matmul(weights, tf.square(self.matrix))

    def measured(
        self, chosen: tf.Tensor, root: tf.Tensor, weights: tf.Tensor
    ) -> "tuple[tf.Tensor, tf.Tensor, tf.Tensor, _Dense]":
        """Measure a feature.

        Args:
            chosen: j, [tasks, 1].
            root: 1 / sqrt(R_jj + its noise), or 0 where nothing may be chosen: [tasks, 1, 1].
            weights: w of what is not measured now, [tasks, 1, features].

        Returns:
            v = R_:j root, R (w v), sum_m w_m v_m^2, and R - v v^T.
        """
        matrix, taken = self
        before = tf.gather(taken, chosen, axis=2, batch_dims=1)
        column = tf.gather(matrix, chosen, axis=1, batch_dims=1)
        column -= tf.linalg.matmul(before, taken, transpose_a=True)
        column *= root
        weighted = weights * column
        across = tf.linalg.matmul(weighted, matrix)
        across -= tf.linalg.matmul(tf.linalg.matmul(weighted, taken, transpose_b=True), taken)
        total = tf.reduce_sum(weighted * column, axis=-1, keepdims=True)
        return column, across, total, _Dense(matrix, tf.concat([taken, column], axis=1))


class _Factored(NamedTuple):
    """R = F A F^T + diag(d), as far as features that are not measured are concerned.

    Every column v = R_:j root is F t there: what else it has is at measured features, which no sum needs any
    more. So sums over all features are kept in the few dimensions of F.

    Attributes:
        factor: F, [tasks, features, rank].
        diagonal: d, [tasks, 1, features].
        core: A, [tasks, rank, rank].
        theta: F^T diag(w) F over the features that are not measured, [tasks, rank, rank].
        weights: w, [tasks, 1, features], before any was measured.
    """

    factor: tf.Tensor
    diagonal: tf.Tensor
    core: tf.Tensor
    theta: tf.Tensor
    weights: tf.Tensor

    @staticmethod
    def dtype() -> tf.DType:
        """What it computes in: factors of many features are read at every step, and half the bytes count."""
        return tf.float32

    @classmethod
    def of(cls, covariance: FactoredCovariance, weights: tf.Tensor) -> "_Factored":
        """Begin with C."""
        factor, core, diagonal, _ = covariance
        theta = tf.linalg.matmul(factor, tf.linalg.matrix_transpose(weights) * factor, transpose_a=True)
        return cls(factor, tf.expand_dims(diagonal, 1), core, theta, weights)

    def folded(self) -> "_Factored":
        """Give itself, because its core is up to date."""
        return self

    def squares(self, weights: tf.Tensor, variances: tf.Tensor) -> tf.Tensor:
        """Give sum_m w_m C_mj^2: [tasks, 1, features]."""
        inner = tf.linalg.matmul(self.core, tf.linalg.matmul(self.theta, self.core))
        shared = tf.reduce_sum(self.factor * tf.linalg.matmul(self.factor, inner), axis=-1)
        return tf.expand_dims(shared, 1) + weights * self.diagonal * (2.0 * variances - self.diagonal)

    def measured(
        self, chosen: tf.Tensor, root: tf.Tensor, weights: tf.Tensor
    ) -> "tuple[tf.Tensor, tf.Tensor, tf.Tensor, _Factored]":
        """Measure a feature; see `_Dense.measured`."""
        factor, diagonal, core, theta, all_weights = self
        row = tf.gather(factor, chosen, axis=1, batch_dims=1)
        closed = tf.where(root > 0.0, tf.gather(all_weights, chosen, axis=2, batch_dims=1), 0.0)
        theta -= tf.linalg.matmul(closed * row, row, transpose_a=True)
        taken = tf.linalg.matmul(row, core) * root
        spread = tf.linalg.matmul(taken, theta)
        rows = tf.concat([taken, tf.linalg.matmul(spread, core)], axis=1)
        both = tf.linalg.matmul(rows, factor, transpose_b=True)  # as columns they would take twice the time
        own = tf.gather(diagonal, chosen, axis=2, batch_dims=1) * root
        column = both[:, :1] + own * tf.one_hot(chosen, tf.shape(diagonal)[2])
        across = both[:, 1:] + diagonal * weights * column
        core -= tf.linalg.matmul(taken, taken, transpose_a=True)
        total = tf.reduce_sum(taken * spread, axis=-1, keepdims=True)
        return column, across, total, _Factored(factor, diagonal, core, theta, all_weights)
