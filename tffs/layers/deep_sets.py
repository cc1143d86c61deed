"""DeepSets: a permutation-invariant network on sets of rows (used in eq. 3 and eq. 4)."""

from typing import Any

import keras
from keras import ops

from tffs.layers.arguments import positive_int
from tffs.layers.initialization import child_seeds, seeded


@keras.saving.register_keras_serializable("tffs")
class DeepSets(keras.layers.Layer):
    """Embed every row, sum over the rows of the set, transform the sum.

    Sum pooling, as in the paper, ties a trained model to the size of the sets it was trained with. Rows that
    only pad a set are not neutral (f(0) is relu(b), not 0), so they must be masked; what they hold has then
    no influence.

    Args:
        embedding_units: size of f, one dense layer (the paper: 64, and 512 for VLCS).
        output_units: size of g, one dense linear layer, or None to give the pooled sum itself.
        activation: of f.
        kernel_initializer: of both.
        seed: makes the initial weights reproducible.

    Call arguments:
        inputs: [tasks, rows, features].
        mask: boolean [tasks, rows], False where a row only pads, or None.

    Output shape:
        [tasks, output_units], or [tasks, embedding_units] for the pooled sum.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> rows = np.array([[[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]]])  # one set of three rows
        >>> pool = tffs.DeepSets(embedding_units=8, output_units=4, seed=0)
        >>> pool(rows).shape
        TensorShape([1, 4])
        >>> np.allclose(pool(rows), pool(rows[:, ::-1]), atol=1e-5)  # their order has no influence
        True
    """

    def __init__(
        self,
        embedding_units: int = 64,
        output_units: int | None = None,
        activation: Any = "relu",
        kernel_initializer: Any = "glorot_uniform",
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.embedding_units = positive_int("embedding_units", embedding_units)
        self.output_units = None if output_units is None else positive_int("output_units", output_units)
        self.activation = keras.activations.get(activation)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.seed = seed
        embedding_seed, output_seed = child_seeds(seed, 2)
        self.embedding = keras.layers.Dense(
            embedding_units,
            self.activation,
            kernel_initializer=seeded(self.kernel_initializer, embedding_seed),
            dtype=self.dtype_policy,
            name="embedding",
        )
        self.transform = (
            None
            if output_units is None
            else keras.layers.Dense(
                output_units,
                kernel_initializer=seeded(self.kernel_initializer, output_seed),
                dtype=self.dtype_policy,
                name="transform",
            )
        )

    def build(self, input_shape: Any) -> None:
        """Make the weights of f and g."""
        self.embedding.build(input_shape)
        if self.transform is not None:
            self.transform.build((input_shape[0], self.embedding_units))

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Compute g(sum_x f(x))."""
        if mask is None:
            embedded = self.embedding(inputs)
        else:
            keep = ops.expand_dims(ops.cast(mask, "bool"), -1)
            # Masked twice: before f, so that a NaN in the padding cannot reach a gradient, and after f.
            embedded = self.embedding(ops.where(keep, inputs, 0.0))
            embedded = ops.where(keep, embedded, 0.0)
        pooled = ops.sum(embedded, axis=-2)
        return pooled if self.transform is None else self.transform(pooled)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """Give no mask: the rows it spoke of are summed up."""
        return None

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {
            **super().get_config(),
            "embedding_units": self.embedding_units,
            "output_units": self.output_units,
            "activation": keras.activations.serialize(self.activation),
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "seed": self.seed,
        }
