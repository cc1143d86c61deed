"""SharedSelector: the parameters of K Concrete variables, the same for every task."""

from typing import Any

import keras
from keras import ops

from tffs.layers.concrete_selector import ConcreteSelector
from tffs.layers.initialization import child_seeds, seeded


@keras.saving.register_keras_serializable("tffs")
class SharedSelector(ConcreteSelector):
    """Give every task the same log_alpha: a concrete autoencoder's selector.

    It takes the place of `TaskSelector` where the support set is to have no say. Without `selector_dim`,
    log_alpha is a [K, M] parameter, as concrete autoencoders have it; with it, log_alpha = pi W_pi + b, which
    is what `TaskSelector` computes without its support set.

    Args:
        num_selected: K.
        selector_dim: T, the size of each pi^(k), or None for a direct parameter.
        pi_stddev: standard deviation of the initial pi.
        kernel_initializer: of the direct parameter, or of W_pi.
        seed: makes the initial weights reproducible.
        selection: `argmax` or `unique` (K distinct features).

    Call arguments:
        support: [tasks, support, features]; only the number of tasks is read.
        mask: not read.

    Output shape:
        [tasks, K, features].

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> layer = tffs.SharedSelector(num_selected=2, selection="unique", seed=0)
        >>> support = np.random.default_rng(0).normal(size=(3, 4, 6))  # three tasks, four rows, six features
        >>> layer(support).shape
        TensorShape([3, 2, 6])
        >>> len(np.unique(layer.choose(support).indices, axis=0))  # one choice for all three
        1
    """

    def __init__(
        self,
        num_selected: int,
        selector_dim: int | None = None,
        pi_stddev: float = 0.05,
        kernel_initializer: Any = "glorot_uniform",
        seed: int | None = None,
        selection: str = "argmax",
        **kwargs: Any,
    ) -> None:
        super().__init__(num_selected, selector_dim, pi_stddev, kernel_initializer, seed, selection, **kwargs)
        self._kernel_seed, self._pi_seed = child_seeds(seed, 2)

    def build(self, support_shape: Any) -> None:
        """Make the parameter, or its two factors and the bias."""
        num_features = support_shape[-1]
        initializer = seeded(self.kernel_initializer, self._kernel_seed)
        if self.selector_dim is None:
            self.logits = self.add_weight(
                name="logits", shape=(self.num_selected, num_features), initializer=initializer
            )
        else:
            self._add_pi(num_features, initializer, self._pi_seed)

    def selector_logits(self) -> Any:
        """Compute log_alpha of any task: [K, features]."""
        if self.selector_dim is None:
            return ops.convert_to_tensor(self.logits)
        return super().selector_logits()

    def log_alpha(self, selector_logits: Any, support: Any, mask: Any = None) -> Any:
        """Give log_alpha once for each task."""
        return ops.broadcast_to(selector_logits, (ops.shape(support)[0], *selector_logits.shape))
