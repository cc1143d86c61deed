"""ConcreteSelect: K relaxed choices among M features (eq. 1 and eq. 2)."""

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable("tffs")
class ConcreteSelect(keras.layers.Layer):
    """Pick K features of every row through Concrete random variables.

    Large tau mixes all features evenly, small tau lets each selector pass one feature. The layer has no
    weights and no state: the temperature and the Gumbel noise are inputs, so a forward pass neither anneals
    nor draws. Without noise the choice is deterministic. The variables are computed in float32 whatever the
    layer's dtype, because half precision cannot hold log_alpha / tau at tau = 0.01.

    Call arguments:
        inputs: [tasks, rows, features], the rows x.
        log_alpha: [tasks, selectors, features].
        tau: scalar, the temperature.
        noise: [tasks, selectors, features] standard Gumbel draws g, or None for none.

    Output shape:
        [tasks, rows, selectors], u^(k) = x . z^(k).

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> rows = np.array([[[10.0, 20.0, 30.0]]])  # one task, one row, three features
        >>> log_alpha = np.array([[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]])  # two selectors
        >>> tffs.ConcreteSelect()(rows, log_alpha, tau=0.01).numpy()
        array([[[30., 10.]]], dtype=float32)
        >>> tffs.ConcreteSelect()(rows, log_alpha, tau=1000.0).numpy().round(1)
        array([[[20., 20.]]], dtype=float32)
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(autocast=False, **kwargs)

    def weights_of_features(self, log_alpha: Any, tau: Any, noise: Any = None) -> Any:
        """Compute z^(k) of eq. 2: float32 [tasks, selectors, features], each row sums to one."""
        logits = ops.cast(log_alpha, "float32")
        if noise is not None:
            logits = logits + ops.cast(noise, "float32")
        return ops.softmax(logits / ops.cast(tau, "float32"), axis=-1)

    def call(self, inputs: Any, log_alpha: Any, tau: Any, noise: Any = None) -> Any:
        """Compute u of eq. 1."""
        z = ops.cast(self.weights_of_features(log_alpha, tau, noise), self.compute_dtype)
        return ops.einsum("trm,tkm->trk", ops.cast(inputs, self.compute_dtype), z)
