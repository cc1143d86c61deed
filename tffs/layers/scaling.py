"""Scaling: from raw units to the units the model computes in, and back."""

from typing import Any

import keras
import numpy as np
from keras import ops

from tffs.data.scale import Scale, scaled


def factor_of(width: Any) -> Any:
    """Give what scaled values are multiplied by: 1 / width, and zero for a constant feature.

    The numerator is computed, because graphs turn a constant one into a reciprocal that is rounded differently.
    """
    varies = width > 0
    return ops.cast(varies, width.dtype) / ops.where(varies, width, 1.0)


def filled(values: Any, median: Any) -> Any:
    """Replace NaN by the features' medians."""
    return ops.where(ops.isnan(values), median, values)


@keras.saving.register_keras_serializable("tffs")
class Scaling(keras.layers.Layer):
    """Scale features as (x - offset) / width, filling in missing values first where it is asked to.

    A feature of width zero, which is constant in the source tasks, scales to zero. Nothing is clipped.
    The same layer scales the rows for training once and the rows of clients inside the exported model.

    Args:
        impute: replace NaN by the features' medians.

    Call arguments:
        inputs: [..., features] in raw units.

    Output shape:
        As the input.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> scaling = tffs.Scaling(impute=True)
        >>> scaling.build((None, 2))
        >>> scaling.learn(np.array([10.0, 0.0]), width=np.array([5.0, 2.0]), median=np.array([15.0, 1.0]))
        >>> scaled = scaling(np.array([[20.0, np.nan]]))
        >>> scaled.numpy(), scaling.inverse(scaled).numpy()
        (array([[2. , 0.5]], dtype=float32), array([[20.,  1.]], dtype=float32))
    """

    def __init__(self, impute: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(impute, bool):
            raise ValueError(f"Expected True or False. Received: impute={impute!r}")
        self.impute = impute

    def build(self, input_shape: Any) -> None:
        """Make the weights; until `learn` is called they change nothing."""
        shape = (input_shape[-1],)
        self.offset = self.add_weight(name="offset", shape=shape, initializer="zeros", trainable=False)
        self.width = self.add_weight(name="width", shape=shape, initializer="ones", trainable=False)
        self.factor = self.add_weight(name="factor", shape=shape, initializer="ones", trainable=False)
        self.median = self.add_weight(name="median", shape=shape, initializer="zeros", trainable=False)

    def learn(self, offset: np.ndarray, width: np.ndarray, median: np.ndarray) -> None:
        """Set what was learned from the source tasks, each [features]."""
        self.offset.assign(offset)
        self.width.assign(width)
        self.factor.assign(factor_of(width))
        self.median.assign(median)

    def call(self, inputs: Any) -> Any:
        """Scale rows of all features."""
        return self._scaled(inputs, self.offset, self.factor, self.median)

    def scale_chosen(self, values: Any, indices: Any) -> Any:
        """Scale values of chosen features.

        Args:
            values: [tasks, rows, K].
            indices: int [tasks, K], which feature each value is of.
        """
        values = ops.cast(values, self.compute_dtype)
        chosen = (ops.expand_dims(ops.take(w, indices), -2) for w in (self.offset, self.factor, self.median))
        return self._scaled(values, *chosen)

    def scale_measured(self, values: Any) -> Any:
        """Scale rows of all features of which some were not measured, which are NaN before and after."""
        return scaled(ops.cast(values, self.compute_dtype), self.offset, self.factor)

    def in_numpy(self) -> Scale:
        """Give what was learned without Keras, to scale rows elsewhere."""
        median = np.asarray(self.median) if self.impute else None
        return Scale(np.asarray(self.offset), np.asarray(self.factor), median)

    def inverse(self, scaled: Any) -> Any:
        """Give rows of all features in raw units."""
        return scaled * self.width + self.offset

    def _scaled(self, values: Any, offset: Any, factor: Any, median: Any) -> Any:
        return scaled(filled(values, median) if self.impute else values, offset, factor)

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), "impute": self.impute}
