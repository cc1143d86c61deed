"""ResidualNetwork: what a closed form leaves to learn of the features that were not measured.

With the closed form's rows x_base, a task's mean m, the source tasks' mean mu0 and the features' standard
deviations sd,

    x_hat = x_base + sd f([(x_base - m) / sd, measured?, (m - mu0) / sd])

where a feature was not measured. The last layer of f starts at zero, so training starts from the closed form.
"""

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf
from keras import ops

from tffs.layers.arguments import positive_int, positive_ints
from tffs.layers.initialization import child_seeds, seeded

FARTHEST = 5.0  # standard deviations; what is farther away than any source row must not be followed further


@keras.saving.register_keras_serializable("tffs")
class ResidualNetwork(keras.layers.Layer):
    """Correct what was inferred in closed form.

    The layer draws nothing: dropout is an input, so that training can be repeated.

    Args:
        num_features: M.
        hidden_units: sizes of f's hidden layers.
        dropout: the share of hidden units that training leaves out.
        seed: makes the initial weights reproducible.

    Call arguments:
        inferred: x_base, [tasks, rows, features].
        mean: m, [tasks, features].
        measured: boolean [tasks, rows or 1, features].
        kept: boolean [tasks, rows, sum of hidden units], False where dropout leaves a unit out; None keeps all.

    Output shape:
        [tasks, rows, features], what is to be added to x_base; 0 where a feature was measured.
    """

    def __init__(
        self,
        num_features: int,
        hidden_units: Sequence[int] = (256, 256),
        dropout: float = 0.2,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_features = positive_int("num_features", num_features)
        self.hidden_units = positive_ints("hidden_units", hidden_units)
        if not 0.0 <= dropout < 1.0:
            raise ValueError(f"Expected a share from 0 to below 1. Received: dropout={dropout!r}")
        self.dropout = float(dropout)
        self.seed = seed
        glorot = keras.initializers.GlorotUniform()
        self.hidden = [
            keras.layers.Dense(
                units,
                "relu",
                kernel_initializer=seeded(glorot, one),
                dtype=self.dtype_policy,
                name=f"hidden_{place}",
            )
            for place, (units, one) in enumerate(
                zip(self.hidden_units, child_seeds(seed, len(self.hidden_units)), strict=True)
            )
        ]
        self.last = keras.layers.Dense(
            num_features, kernel_initializer="zeros", dtype=self.dtype_policy, name="last"
        )

    def build(self, *shapes: Any) -> None:
        """Make the weights; the sizes are known, so no shapes are needed."""
        width = 3 * self.num_features
        for layer in (*self.hidden, self.last):
            layer.build((None, None, width))
            width = layer.units
        fixed: dict[str, Any] = {"shape": (self.num_features,), "trainable": False}
        self.source_mean = self.add_weight(name="source_mean", initializer="zeros", **fixed)
        self.scale = self.add_weight(name="scale", initializer="ones", **fixed)
        self.built = True

    def learn(self, mean: Any, scale: Any) -> None:
        """Set mu0 and sd, each [features]; a feature whose sd is 0 is never changed."""
        self.source_mean.assign(mean)
        self.scale.assign(scale)

    def call(self, inferred: Any, mean: Any, measured: Any, kept: Any = None) -> Any:
        """Give what is to be added."""
        inferred, mean = ops.convert_to_tensor(inferred), ops.expand_dims(mean, -2)
        scale = ops.cast(self.scale, inferred.dtype)
        unit = ops.where(scale > 0.0, scale, ops.ones_like(scale))
        here = tf.broadcast_to(measured, tf.shape(inferred))
        away = (mean - ops.cast(self.source_mean, inferred.dtype)) / unit
        inputs = [
            (inferred - mean) / unit,
            ops.cast(here, inferred.dtype),
            tf.broadcast_to(away, tf.shape(inferred)),
        ]
        hidden = ops.concatenate([ops.clip(part, -FARTHEST, FARTHEST) for part in inputs], axis=-1)
        start = 0
        for layer in self.hidden:
            hidden = layer(hidden)
            if kept is not None:
                part = ops.cast(kept[..., start : start + layer.units], hidden.dtype)
                hidden = hidden * part / (1.0 - self.dropout)
            start += layer.units
        return ops.where(here, ops.zeros_like(inferred), ops.cast(scale * self.last(hidden), inferred.dtype))

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {
            **super().get_config(),
            "num_features": self.num_features,
            "hidden_units": self.hidden_units,
            "dropout": self.dropout,
            "seed": self.seed,
        }
