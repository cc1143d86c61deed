"""TaskSelector: from a support set to the parameters of K Concrete variables (eq. 3)."""

from typing import Any

import keras
from keras import ops

from tffs.layers.arguments import positive_int
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

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> layer = tffs.TaskSelector(num_selected=2, selector_dim=4, selection="unique", seed=0)
        >>> support = np.random.default_rng(0).normal(size=(3, 4, 6))  # three tasks, four rows, six features
        >>> layer(support).shape
        TensorShape([3, 2, 6])
        >>> layer.choose(support).indices.shape
        TensorShape([3, 2])
    """

    selector_dim: int  # this layer always has pi

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
        selector_dim = positive_int("selector_dim", selector_dim)
        super().__init__(num_selected, selector_dim, pi_stddev, kernel_initializer, seed, selection, **kwargs)
        self.embedding_units = positive_int("embedding_units", embedding_units)
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
        self._add_pi(
            num_features,
            lambda shape, dtype: ops.cast(kernel[self.embedding_units :], dtype),
            self._pi_seed,
        )

    def log_alpha(self, selector_logits: Any, support: Any, mask: Any = None) -> Any:
        """Compute log_alpha of eq. 3."""
        support_logits = ops.matmul(self.pool(support, mask=mask), self.support_kernel)
        # Both with all three dimensions: else, for one task, TensorFlow 2.21's graph optimizer drops the first.
        return ops.expand_dims(support_logits, -2) + ops.expand_dims(selector_logits, 0)

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), "embedding_units": self.embedding_units}
