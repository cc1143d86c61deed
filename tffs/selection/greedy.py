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
    looped: bool = False,
) -> Greedy:
    """Choose features one after the other.

    Args:
        covariance: C, of a new row of each task.
        weights: w, [features], how much an error of each feature counts.
        ridge: eps, the variance of a measurement as a share of the feature's variance.
        steps: how many to choose, at most as many as there are features.
        limits: what may be chosen; None for everything.
        looped: whether the graph has a loop even for few steps; it is traced sooner, and runs a little slower.
    """
    kind: Any = _Dense if isinstance(covariance, DenseCovariance) else _Factored
    variances = tf.cast(covariance.variances, kind.dtype())
    weights = tf.cast(weights, kind.dtype()) * tf.ones_like(variances)
    noise = tf.cast(ridge, kind.dtype()) * variances + TINY
    weighted_noise = weights * noise
    unrolled = steps <= UNROLLED and not looped
    # Whether there is always something left to choose.
    enough = limits is None and (steps if unrolled else BLOCK * -(-steps // BLOCK)) <= covariance.features
    state = kind.of(covariance, weights)
    start = _Progress(
        state,
        variances,
        state.squares(weights, variances),
        tf.ones_like(variances, tf.bool),
        tf.zeros_like(variances[:, 0], tf.float32),
    )

    def step(now: _Progress) -> tuple[_Progress, tf.Tensor, tf.Tensor]:
        denominators = now.variances + noise
        gains = (now.squares + weighted_noise * now.variances) / denominators
        chosen, possible, cost = _best(tf.cast(gains, tf.float32), now.open_, now.spent, limits)
        denominator = tf.gather(denominators, chosen, axis=1, batch_dims=1)
        root = tf.math.rsqrt(denominator)
        others = tf.one_hot(chosen, covariance.features, False, True, dtype=tf.bool)
        if enough:
            index, spent = chosen, now.spent
        else:
            index, spent = tf.where(possible, chosen, -1), now.spent + cost
            root = tf.where(possible, root, 0.0)
            others |= ~tf.expand_dims(possible, 1)
        open_ = now.open_ & others
        left = tf.where(open_, weights, 0.0)
        column, across, total, state = now.state.measured(chosen, root, left)
        closed = tf.gather(weights, chosen, axis=1, batch_dims=1) * denominator
        squares = now.squares + column * (column * tf.expand_dims(total - closed, 1) - 2.0 * across)
        variances = tf.maximum(now.variances - tf.square(column), 0.0)
        error = tf.reduce_sum(left * variances, axis=-1)
        return _Progress(state, variances, squares, open_, spent), index, tf.cast(error, tf.float32)

    def several(now: _Progress, count: int) -> tuple[_Progress, tf.Tensor, tf.Tensor]:
        indices, errors = [], []
        for _ in range(count):
            now, index, error = step(now)
            indices.append(index)
            errors.append(error)
        return now, tf.stack(indices), tf.stack(errors)

    if unrolled:
        now, indices, errors = several(start, steps)
    else:
        now, indices, errors = _looped(several, start, steps)
    first = tf.cast(tf.reduce_sum(weights * variances, axis=-1, keepdims=True), tf.float32)
    errors = tf.concat([first, tf.transpose(errors)], axis=1)
    left = tf.where(now.open_, tf.cast(now.variances, tf.float32), 0.0)
    indices = tf.ensure_shape(tf.transpose(indices), [None, steps])
    return Greedy(indices, tf.ensure_shape(errors, [None, steps + 1]), left, now.spent)


def _looped(
    several: Callable[..., tuple["_Progress", tf.Tensor, tf.Tensor]], start: "_Progress", steps: int
) -> tuple["_Progress", tf.Tensor, tf.Tensor]:
    """Take steps in a loop of the graph, `BLOCK` at a time."""
    blocks = -(-steps // BLOCK)
    indices = tf.TensorArray(tf.int32, blocks, element_shape=[BLOCK, None])
    errors = tf.TensorArray(tf.float32, blocks, element_shape=[BLOCK, None])

    def body(block: tf.Tensor, now: _Progress, indices: Any, errors: Any) -> tuple[Any, ...]:
        now, index, error = several(now, BLOCK)
        now = now._replace(state=now.state.folded())
        return block + 1, now, indices.write(block, index), errors.write(block, error)

    _, now, indices, errors = tf.while_loop(
        lambda block, *_: block < blocks, body, (0, start, indices, errors), maximum_iterations=blocks
    )
    return now, indices.concat()[:steps], errors.concat()[:steps]


class _Progress(NamedTuple):
    """Where the choice stands.

    Attributes:
        state: R.
        variances: R_jj, [tasks, features].
        squares: sum_m w_m R_mj^2 over the features m that are not measured, [tasks, features].
        open_: which are not measured, [tasks, features].
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
    """Give the best feature of each task, whether there is one, and what it costs."""
    if limits is None:
        best = tf.argmax(tf.where(open_, gains, -np.inf), axis=-1, output_type=tf.int32)
        return best, tf.reduce_any(open_, axis=-1), 0.0 * spent
    wanted = open_ & limits.include
    left = limits.budget - spent
    affordable = (limits.costs <= left[:, None] * (1.0 + 1e-6)) | (limits.budget < 0.0)[:, None]
    allowed = tf.where(
        tf.reduce_any(wanted, axis=-1, keepdims=True), wanted, open_ & ~limits.exclude & affordable
    )
    free = allowed & (limits.costs <= 0.0)
    candidates = tf.where(tf.reduce_any(free, axis=-1, keepdims=True), free, allowed)
    worth = gains / tf.where(limits.costs > 0.0, limits.costs, 1.0)
    best = tf.argmax(tf.where(candidates, worth, -np.inf), axis=-1, output_type=tf.int32)
    possible = tf.reduce_any(allowed, axis=-1)
    cost = tf.gather(limits.costs, best, batch_dims=1)
    return best, possible, tf.where(possible, cost, 0.0)


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
        """Give sum_m w_m C_mj^2: [tasks, features]."""
        return tf.linalg.matvec(tf.square(self.matrix), weights)

    def measured(
        self, chosen: tf.Tensor, root: tf.Tensor, weights: tf.Tensor
    ) -> "tuple[tf.Tensor, tf.Tensor, tf.Tensor, _Dense]":
        """Measure a feature.

        Args:
            chosen: j, [tasks].
            root: 1 / sqrt(R_jj + its noise), or 0 where nothing may be chosen: [tasks].
            weights: w of what is not measured now, [tasks, features].

        Returns:
            v = R_:j root, R (w v), sum_m w_m v_m^2, and R - v v^T.
        """
        matrix, taken = self
        # Vectors are rows, [tasks, 1, features], so that they are not reshaped for every product.
        chosen = tf.expand_dims(chosen, 1)
        before = tf.gather(taken, chosen, axis=2, batch_dims=1)
        column = tf.gather(matrix, chosen, axis=1, batch_dims=1)
        column -= tf.linalg.matmul(before, taken, transpose_a=True)
        column *= tf.reshape(root, [-1, 1, 1])
        weighted = tf.expand_dims(weights, 1) * column
        across = tf.linalg.matmul(weighted, matrix)
        across -= tf.linalg.matmul(tf.linalg.matmul(weighted, taken, transpose_b=True), taken)
        total = tf.reduce_sum(weighted * column, axis=[1, 2])
        taken = tf.concat([taken, column], axis=1)
        return tf.squeeze(column, 1), tf.squeeze(across, 1), total, _Dense(matrix, taken)


class _Factored(NamedTuple):
    """R = F A F^T + diag(d), as far as features that are not measured are concerned.

    Every column v = R_:j root is F t there: what else it has is at measured features, which no sum needs any
    more. So sums over all features are kept in the few dimensions of F.

    Attributes:
        factor: F, [tasks, features, rank].
        diagonal: d, [tasks, features].
        core: A, [tasks, rank, rank].
        theta: F^T diag(w) F over the features that are not measured, [tasks, rank, rank].
        weights: w, [tasks, features], before any was measured.
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
        theta = tf.linalg.matmul(factor, tf.expand_dims(weights, 2) * factor, transpose_a=True)
        return cls(factor, diagonal, core, theta, weights)

    def folded(self) -> "_Factored":
        """Give itself, because its core is up to date."""
        return self

    def squares(self, weights: tf.Tensor, variances: tf.Tensor) -> tf.Tensor:
        """Give sum_m w_m C_mj^2: [tasks, features]."""
        inner = tf.linalg.matmul(self.core, tf.linalg.matmul(self.theta, self.core))
        shared = tf.reduce_sum(self.factor * tf.linalg.matmul(self.factor, inner), axis=-1)
        return shared + weights * self.diagonal * (2.0 * variances - self.diagonal)

    def measured(
        self, chosen: tf.Tensor, root: tf.Tensor, weights: tf.Tensor
    ) -> "tuple[tf.Tensor, tf.Tensor, tf.Tensor, _Factored]":
        """Measure a feature; see `_Dense.measured`."""
        factor, diagonal, core, theta, all_weights = self
        root = tf.expand_dims(root, 1)
        row = tf.gather(factor, chosen, axis=1, batch_dims=1)
        closed = tf.where(root > 0.0, tf.gather(all_weights, chosen[:, None], axis=1, batch_dims=1), 0.0)
        theta -= tf.expand_dims(closed * row, 2) * tf.expand_dims(row, 1)
        taken = tf.linalg.matvec(core, row) * root
        spread = tf.linalg.matvec(theta, taken)
        rows = tf.stack([taken, tf.linalg.matvec(core, spread)], axis=1)
        both = tf.linalg.matmul(rows, factor, transpose_b=True)  # as columns they would take twice the time
        own = tf.gather(diagonal, chosen[:, None], axis=1, batch_dims=1) * root
        column = both[:, 0] + own * tf.one_hot(chosen, tf.shape(diagonal)[1])
        across = both[:, 1] + diagonal * weights * column
        core -= tf.expand_dims(taken, 2) * tf.expand_dims(taken, 1)
        total = tf.reduce_sum(taken * spread, axis=-1)
        return column, across, total, _Factored(factor, diagonal, core, theta, all_weights)
