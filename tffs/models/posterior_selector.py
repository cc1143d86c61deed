"""A model whose answer follows from what the source tasks and a support set say of a task."""

import functools
from typing import Any, NamedTuple

import keras
import tensorflow as tf

from tffs.layers.arguments import positive_int
from tffs.layers.calibration import Calibration
from tffs.layers.conditional_decoder import ConditionalDecoder, Decoded
from tffs.layers.residual_network import ResidualNetwork
from tffs.layers.task_prior import TaskBelief, TaskPrior
from tffs.models import protocol
from tffs.models.episodic_model import EpisodicModel
from tffs.selection import Choice, Choose
from tffs.selection.greedy import Limits, greedy, with_tail

FEW_ROWS = 8  # supports of so many rows or fewer are answered from what is kept
MOST_KEPT_FEATURES = 512  # of full matrices
LEAST_FALL = 0.25  # the power of its own fall that a calibrated error keeps at least
LONGEST = 1024  # features that are ranked one after the other; what follows is ranked by its variance


class Ranking(NamedTuple):
    """Features in the order in which they are worth measuring.

    Attributes:
        indices: int32 [tasks, count]; -1 where nothing more may be chosen.
        errors: [tasks, count + 1], the expected squared error without any feature, with the first, ..., as a
            share of the expected error of answering the source rows' mean.
        novelty: [tasks], how unlike the source tasks the support is, from 0 to 1; NaN where that is not known.
    """

    indices: tf.Tensor
    errors: tf.Tensor
    novelty: tf.Tensor


@keras.saving.register_keras_serializable("tffs")
class PosteriorSelector(EpisodicModel):
    """Select any number of features for a task from any number of rows, and infer all others from any.

    `tffs.posterior.fitting.fit_posterior` makes one from source tasks.

    Args:
        prior: the layer that knows the source tasks.
        decoder: the layer that infers what was not measured.
        calibration: the layer that turns variances into intervals and errors that hold on unseen tasks.
        num_selected: K, how many features `select` gives; `rank` gives all.
        residual: None, or the network that corrects what the decoder inferred.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> from tffs.layers import Calibration
        >>> parts = tffs.TaskPrior(3), tffs.ConditionalDecoder(3), Calibration(3)
        >>> model = tffs.PosteriorSelector(*parts, num_selected=2)
        >>> model.build()
        >>> model.learn(weights=[1.0, 5.0, 2.0], source_mean=[0.0] * 3, low=[-9.0] * 3, high=[9.0] * 3)
        >>> model.select(np.zeros((1, 0, 3), "float32")).numpy()  # without any row: by the weights
        array([[1, 2]], dtype=int32)
    """

    PARTS = ("prior", "decoder", "calibration", "residual")
    num_classes = None

    def __init__(
        self,
        prior: TaskPrior,
        decoder: ConditionalDecoder,
        calibration: Calibration,
        num_selected: int,
        residual: ResidualNetwork | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.prior = prior
        self.decoder = decoder
        self.calibration = calibration
        self.residual = residual
        self.num_features = prior.num_features
        self.num_selected = positive_int("num_selected", num_selected)
        if num_selected > self.num_features:
            raise ValueError(
                f"Expected at most num_features={self.num_features}. Received: num_selected={num_selected}"
            )

    @property
    def abilities(self) -> frozenset[str]:
        """What it can do; see `tffs.models.protocol`."""
        return frozenset({protocol.SELECT, protocol.RANK, protocol.INFER})

    def build(self, input_shape: Any = None) -> None:
        """Make all weights; the sizes are known, so no data is needed."""
        for part in (self.prior, self.decoder, self.calibration, self.residual):
            if part is not None and not part.built:
                part.build()
        features = (self.num_features,)
        self.weights_of_features = self._fixed("weights_of_features", features, "ones")
        self.source_mean = self._fixed("source_mean", features, "zeros")
        self.low = self._fixed("low", features, keras.initializers.Constant(-1e30))
        self.high = self._fixed("high", features, keras.initializers.Constant(1e30))
        self.built = True

    def _fixed(self, name: str, shape: tuple[int, ...], initializer: Any) -> Any:
        return self.add_weight(name=name, shape=shape, initializer=initializer, trainable=False)

    def learn(self, weights: Any, source_mean: Any, low: Any, high: Any) -> None:
        """Set what was learned from the source tasks, each [features].

        Args:
            weights: how much an error of each feature counts.
            source_mean: the mean of all source rows, which errors are compared with.
            low: the least values; nothing is inferred beyond these and the support's.
            high: the greatest.
        """
        self.weights_of_features.assign(weights)
        self.source_mean.assign(source_mean)
        self.low.assign(low)
        self.high.assign(high)

    def corrected_by(self, residual: ResidualNetwork) -> "PosteriorSelector":
        """Give a model of the same parts that a residual network corrects."""
        model = PosteriorSelector(self.prior, self.decoder, self.calibration, self.num_selected, residual)
        model.build()
        model.learn(self.weights_of_features, self.source_mean, self.low, self.high)
        return model

    def call(self, inputs: dict[str, Any], tau: Any = None, noise: Any = None) -> tf.Tensor:
        """Decode query rows from the K features that are chosen for their tasks: [tasks, rows, features]."""
        support, mask = inputs["support"], inputs.get("support_mask")
        chosen = self.select(support, mask)
        return self.decode(support, tf.gather(inputs["query"], chosen, axis=2, batch_dims=1), mask)

    def select(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Choose features for each task from its support rows: int32 [tasks, K]."""
        return self._choose(support, mask).indices

    def frozen(self) -> Choose:
        """Give `select`, with scores: by how much each feature lets the expected error fall.

        What depends on the number of support rows alone is computed once, where it is small.
        """
        small = self.prior.rank is not None or self.num_features <= MOST_KEPT_FEATURES
        return functools.partial(self._choose, few_rows=self.prior.few_rows(FEW_ROWS) if small else None)

    def _choose(self, support: Any, mask: Any = None, few_rows: tf.Tensor | None = None) -> Choice:
        indices, errors = self.first(support, mask, few_rows=few_rows)
        return Choice(indices, errors[:, :-1] - errors[:, 1:])

    def first(
        self,
        support: Any,
        mask: Any = None,
        count: int | None = None,
        few_rows: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Give the first `count` features, K if it is None, and the expected errors as `rank` does.

        See `TaskPrior.belief` for `few_rows`.
        """
        belief = self.prior.belief(support, mask, few_rows)
        weights = self.weights_of_features.value
        count = count or self.num_selected
        ranked = greedy(belief.covariance, weights, self.decoder.ridge, count)
        return ranked.indices, self._shares(belief, ranked.errors, count)

    def rank(
        self, support: Any, mask: Any = None, limits: Limits | None = None, count: int | None = None
    ) -> Ranking:
        """Give the first `count` features that may be chosen, the best first; all of them if it is None."""
        belief = self.prior.belief(support, mask)
        count = count or self.num_features
        steps = min(count, LONGEST)
        ranked = greedy(belief.covariance, self.weights_of_features.value, self.decoder.ridge, steps, limits)
        if steps < count:
            ranked = with_tail(ranked, self.weights_of_features.value, limits)
        errors = self._shares(belief, ranked.errors[:, : count + 1], count)
        return Ranking(ranked.indices[:, :count], errors, self.novelty(support, mask))

    def novelty(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Give how unlike the source tasks supports are, from 0 to 1: [tasks]."""
        return self.calibration.novelty(support, mask=mask)

    def infer(self, support: Any, values: Any, mask: Any = None) -> Decoded:
        """Infer all features of rows.

        Args:
            support: [tasks, support, features].
            values: [tasks, rows, features], NaN where a feature was not measured.
            mask: boolean [tasks, support], or None.

        Returns:
            Means and variances, each [tasks, rows, features]. Measured values come back, with variance 0.
        """
        belief = self.prior.belief(support, mask)
        values = tf.convert_to_tensor(values)
        inferred = self._by_pattern(belief, values)
        mean = self.within_range(support, inferred.mean, mask)
        measured = ~tf.math.is_nan(values)
        if self.residual is not None:
            mean = tf.where(measured, values, mean)
            mean = self.within_range(support, mean + self.residual(mean, belief.mean, measured), mask)
        factor = self.calibration.variances(belief.rows, tf.reduce_sum(tf.cast(measured, tf.float32), axis=-1))
        return Decoded(tf.where(measured, values, mean), tf.where(measured, 0.0, factor * inferred.variance))

    def decode(self, support: Any, values: Any, mask: Any = None) -> tf.Tensor:
        """Infer all features of rows from values [tasks, rows, K] of those that `select` gives."""
        return self.decode_chosen(support, values, self.select(support, mask), mask)

    reconstruct = decode

    def decode_chosen(self, support: Any, values: Any, chosen: Any, mask: Any = None) -> tf.Tensor:
        """Infer all features of rows from values [tasks, rows, k] of features [tasks, k]."""
        here = tf.one_hot(chosen, self.num_features, axis=-1)  # [tasks, k, features]
        spread = tf.linalg.matmul(values, here)
        measured = tf.reduce_any(here > 0.0, axis=1)[:, None]
        return self.infer(support, tf.where(measured, spread, float("nan")), mask).mean

    def _shares(self, belief: TaskBelief, errors: tf.Tensor, count: int) -> tf.Tensor:
        """Give expected errors [tasks, count + 1] as shares of that of answering the source rows' mean."""
        errors = tf.ensure_shape(errors, [None, count + 1])
        away = tf.square(belief.mean - self.source_mean)
        by_mean = errors[:, 0] + tf.reduce_sum(away * self.weights_of_features, axis=-1)
        shares = errors / tf.maximum(by_mean, 1e-30)[:, None]
        # Calibrated errors may rise where the posterior's own fall: the slow fall that is kept leaves no steps.
        slow = tf.pow(tf.maximum(shares, 1e-30), LEAST_FALL)
        return slow * _falling(shares * self.calibration.errors(belief.rows, count + 1) / slow)

    def within_range(self, support: Any, rows: Any, mask: Any = None) -> tf.Tensor:
        """Clip rows [tasks, rows, features] to the range of the source tasks and the support."""
        support = tf.convert_to_tensor(support)
        present = True if mask is None else tf.cast(mask, tf.bool)[..., None]
        low = tf.reduce_min(tf.where(present, support, self.low), axis=1, keepdims=True)
        high = tf.reduce_max(tf.where(present, support, self.high), axis=1, keepdims=True)
        return tf.clip_by_value(rows, tf.minimum(low, self.low), tf.maximum(high, self.high))

    def _by_pattern(self, belief: TaskBelief, values: tf.Tensor) -> Decoded:
        """Decode rows together of which the same features were measured in the same task."""
        shape = tf.shape(values)
        tasks, rows = shape[0], shape[1]
        measured = tf.reshape(~tf.math.is_nan(values), [-1, self.num_features])
        task = tf.repeat(tf.range(tasks), rows)
        keys = tf.concat([task[:, None], tf.cast(measured, tf.int32)], axis=1)
        patterns, number = tf.raw_ops.UniqueV2(x=keys, axis=tf.constant([0]))
        count = tf.shape(patterns)[0]
        flat = tf.reshape(values, [-1, self.num_features])
        order = tf.argsort(number, stable=True)
        sizes = tf.math.bincount(number, minlength=count, maxlength=count)
        ends = tf.cumsum(sizes)

        def step(i: tf.Tensor, means: Any, variances: Any) -> tuple[Any, ...]:
            features = tf.cast(tf.where(patterns[i, 1:] > 0)[:, 0], tf.int32)
            here = tf.gather(flat, order[ends[i] - sizes[i] : ends[i]])
            decoded = self.decoder.decode(belief, patterns[i, 0], features, tf.gather(here, features, axis=1))
            return i + 1, means.write(i, decoded.mean), variances.write(i, decoded.variance)

        arrays = [
            tf.TensorArray(tf.float32, count, infer_shape=False, element_shape=[None, self.num_features])
            for _ in range(2)
        ]
        _, *arrays = tf.while_loop(lambda i, *_: i < count, step, (0, *arrays))
        back = tf.argsort(order)
        return Decoded(*(tf.reshape(tf.gather(array.concat(), back), shape) for array in arrays))

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), "num_selected": self.num_selected}


def _falling(values: tf.Tensor) -> tf.Tensor:
    """Give the least of all values so far: [tasks, values]."""
    step = 1
    while step < values.shape[1]:
        values = tf.concat([values[:, :step], tf.minimum(values[:, step:], values[:, :-step])], axis=1)
        step *= 2
    return values
