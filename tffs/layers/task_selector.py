"""TaskSelector: from a support set to the parameters of K Concrete variables (eq. 3)."""

from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf
from keras import ops

from tffs.layers.arguments import positive_int, positive_number
from tffs.layers.concrete_selector import ConcreteSelector
from tffs.layers.deep_sets import DeepSets
from tffs.layers.initialization import child_seeds, seeded


@keras.saving.register_keras_serializable("tffs")
class TaskSelector(ConcreteSelector):
    """Compute log_alpha^(k)(S) = g([sum_x f(x), pi^(k)]) for k = 1 ... K.

    g is one linear layer, so its kernel has a part for the pooled sum and a part for pi:
    log_alpha^(k)(S) = s(S) W_s + (pi^(k) W_pi + b). The two products are computed apart, which spares tiling
    the sum K times; the second does not depend on the support set. Both parts are initialised as slices of
    the one kernel that they are.

    Args:
        num_selected: K.
        selector_dim: T, the size of each pi^(k) (the paper: 300).
        embedding_units: size of f (the paper: 64).
        pi_stddev: standard deviation of the initial pi. It decides whether the method works: a large pi
            freezes the choice while tau is still high, and selectors collapse onto the same feature.
        kernel_initializer: of f and g.
        seed: makes the initial weights reproducible.
        selection: `argmax` (the paper) or `unique` (K distinct features).

    Call arguments:
        support: [tasks, support, features].
        mask: boolean [tasks, support], False where a row only pads, or None.

    Output shape:
        [tasks, K, features].
    """

    def __init__(
        self,
        num_selected: int,
        selector_dim: int = 300,
        embedding_units: int = 64,
        pi_stddev: float = 0.05,
        kernel_initializer: Any = "glorot_uniform",
        seed: int | None = None,
        selection: str = "argmax",
        **kwargs: Any,
    ) -> None:
        super().__init__(num_selected, selection, **kwargs)
        self.selector_dim = positive_int("selector_dim", selector_dim)
        self.embedding_units = positive_int("embedding_units", embedding_units)
        self.pi_stddev = positive_number("pi_stddev", pi_stddev)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.seed = seed
        pool_seed, self._kernel_seed, self._pi_seed = child_seeds(seed, 3)
        self.pool = DeepSets(
            embedding_units,
            kernel_initializer=self.kernel_initializer,
            seed=pool_seed,
            dtype=self.dtype_policy,
            name="pool",
        )

    def build(self, support_shape: Any) -> None:
        """Make f, pi and the two parts of g's kernel."""
        num_features = support_shape[-1]
        self.pool.build(support_shape)
        kernel = seeded(self.kernel_initializer, self._kernel_seed)(
            (self.embedding_units + self.selector_dim, num_features)
        )
        self.support_kernel = self.add_weight(
            name="support_kernel",
            shape=(self.embedding_units, num_features),
            initializer=lambda shape, dtype: ops.cast(kernel[: self.embedding_units], dtype),
        )
        self.pi_kernel = self.add_weight(
            name="pi_kernel",
            shape=(self.selector_dim, num_features),
            initializer=lambda shape, dtype: ops.cast(kernel[self.embedding_units :], dtype),
        )
        self.bias = self.add_weight(name="bias", shape=(num_features,), initializer="zeros")
        self.pi = self.add_weight(
            name="pi",
            shape=(self.num_selected, self.selector_dim),
            initializer=keras.initializers.RandomNormal(stddev=self.pi_stddev, seed=self._pi_seed),
        )

    def support_logits(self, support: Any, mask: Any = None) -> Any:
        """Compute s(S) W_s: [tasks, features]."""
        return ops.matmul(self.pool(support, mask=mask), self.support_kernel)

    def selector_logits(self) -> Any:
        """Compute pi W_pi + b: [K, features], the same for every task."""
        return ops.matmul(self.pi, self.pi_kernel) + self.bias

    def call(self, support: Any, mask: Any = None) -> Any:
        """Compute log_alpha of eq. 3."""
        # Both with all three dimensions: else, for one task, TensorFlow 2.21's graph optimizer drops the first.
        return ops.expand_dims(self.support_logits(support, mask), -2) + ops.expand_dims(
            self.selector_logits(), 0
        )

    def frozen_log_alpha(self) -> Callable[..., Any]:
        """Give `call` with pi W_pi + b computed now."""
        selector_logits = tf.constant(self.selector_logits())[None]
        return lambda support, mask=None: self.support_logits(support, mask)[:, None, :] + selector_logits

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {
            **super().get_config(),
            "selector_dim": self.selector_dim,
            "embedding_units": self.embedding_units,
            "pi_stddev": self.pi_stddev,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "seed": self.seed,
        }
