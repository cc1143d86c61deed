"""TaskDecoder: from selected values and a support set to all features, or to classes (eq. 4)."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from tffs.layers.arguments import natural_int, positive_int, positive_ints
from tffs.layers.deep_sets import DeepSets
from tffs.layers.initialization import child_seeds, seeded


@keras.saving.register_keras_serializable("tffs")
class TaskDecoder(keras.layers.Layer):
    """Reconstruct rows from their selected values, knowing the task: x_hat = h([u, r(S)]).

    Args:
        num_features: how many numbers a row is decoded to: M, or the number of classes.
        hidden_units: sizes of h's hidden layers (the paper: 32, 32, and 256, 256 for VLCS).
        task_code_dim: size of r(S) (the paper: 1); 0 for a decoder that is the same for every task.
        embedding_units: size of f in r(S) (the paper: 64).
        output_activation: `sigmoid` for features in [0, 1], `tanh` for [-1, 1], `linear` otherwise and for the
            logits of classes.
        kernel_initializer: of all kernels.
        seed: makes the initial weights reproducible.

    Call arguments:
        selected: [tasks, rows, K], the values u in the selectors' order.
        support: [tasks, support, features].
        mask: boolean [tasks, support], False where a support row only pads, or None.

    Output shape:
        [tasks, rows, num_features].

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> decoder = tffs.TaskDecoder(num_features=5, hidden_units=(8,), seed=0)
        >>> selected, support = np.zeros((2, 7, 3)), np.zeros((2, 4, 5))  # two tasks, K = 3
        >>> decoder(selected, support).shape
        TensorShape([2, 7, 5])
    """

    def __init__(
        self,
        num_features: int,
        hidden_units: Sequence[int] = (32, 32),
        task_code_dim: int = 1,
        embedding_units: int = 64,
        output_activation: Any = "sigmoid",
        kernel_initializer: Any = "glorot_uniform",
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.num_features = positive_int("num_features", num_features)
        self.hidden_units = positive_ints("hidden_units", hidden_units)
        self.task_code_dim = natural_int("task_code_dim", task_code_dim)
        self.embedding_units = positive_int("embedding_units", embedding_units)
        self.output_activation = keras.activations.get(output_activation)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.seed = seed
        code_seed, *dense_seeds = child_seeds(seed, 2 + len(self.hidden_units))
        self.task_code = (
            None
            if task_code_dim == 0
            else DeepSets(
                embedding_units,
                task_code_dim,
                kernel_initializer=self.kernel_initializer,
                seed=code_seed,
                dtype=self.dtype_policy,
                name="task_code",
            )
        )
        activations = ["relu"] * len(self.hidden_units) + [self.output_activation]
        self.dense = [
            keras.layers.Dense(
                units,
                activation,
                kernel_initializer=seeded(self.kernel_initializer, dense_seed),
                dtype=self.dtype_policy,
                name=f"dense_{index}",
            )
            for index, (units, activation, dense_seed) in enumerate(
                zip((*self.hidden_units, num_features), activations, dense_seeds, strict=True)
            )
        ]

    def build(self, selected_shape: Any, support_shape: Any) -> None:
        """Make the weights of r and h."""
        if self.task_code is not None:
            self.task_code.build(support_shape)
        width = selected_shape[-1] + self.task_code_dim
        for layer in self.dense:
            layer.build((*selected_shape[:-1], width))
            width = layer.units

    def call(self, selected: Any, support: Any, mask: Any = None) -> Any:
        """Compute x_hat of eq. 4."""
        hidden = selected
        if self.task_code is not None:
            code = ops.expand_dims(self.task_code(support, mask=mask), -2)
            code = ops.broadcast_to(code, (*ops.shape(selected)[:-1], self.task_code_dim))
            hidden = ops.concatenate([selected, code], axis=-1)
        for layer in self.dense:
            hidden = layer(hidden)
        return hidden

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """Give no mask: the output has no support rows."""
        return None

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {
            **super().get_config(),
            "num_features": self.num_features,
            "hidden_units": self.hidden_units,
            "task_code_dim": self.task_code_dim,
            "embedding_units": self.embedding_units,
            "output_activation": keras.activations.serialize(self.output_activation),
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "seed": self.seed,
        }
