"""ConcreteSelector: what the layers have in common that choose features by Concrete variables."""

from typing import Any

import keras
import tensorflow as tf
from keras import ops

from tffs.layers.arguments import positive_int, positive_number
from tffs.layers.concrete_select import ConcreteSelect
from tffs.selection import Choice, Choose, choice_of, known_selection


class ConcreteSelector(keras.layers.Layer):
    """Choose K features by the parameters of K Concrete variables, which a subclass computes in `log_alpha`.

    This is also the interface of every selector layer of `FewShotSelector`: `num_selected`, `least_features`,
    `build`, `pick`, `choose`, `confidence` and `frozen`.

    Args:
        num_selected: K.
        selector_dim: T, the size of each pi^(k), or None for a layer that has no pi.
        pi_stddev: standard deviation of the initial pi.
        kernel_initializer: of all kernels.
        seed: makes the initial weights reproducible.
        selection: which feature a selector takes: `argmax` (the paper) or `unique` (K distinct features).

    Call arguments:
        support: [tasks, support, features].
        mask: boolean [tasks, support], False where a row only pads, or None.

    Output shape:
        [tasks, K, features], log_alpha.
    """

    def __init__(
        self,
        num_selected: int,
        selector_dim: int | None,
        pi_stddev: float,
        kernel_initializer: Any,
        seed: int | None,
        selection: str,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.num_selected = positive_int("num_selected", num_selected)
        self.selector_dim = None if selector_dim is None else positive_int("selector_dim", selector_dim)
        self.pi_stddev = positive_number("pi_stddev", pi_stddev)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.seed = seed
        self.selection = known_selection(selection)
        self.concrete = ConcreteSelect(dtype=self.dtype_policy, name="concrete")

    @property
    def least_features(self) -> int:
        """How many features there must be to choose from."""
        return self.num_selected

    def selector_logits(self) -> Any:
        """Compute pi W_pi + b: [K, features], the same for every task."""
        return ops.matmul(self.pi, self.pi_kernel) + self.bias

    def log_alpha(self, selector_logits: Any, support: Any, mask: Any = None) -> Any:
        """Compute log_alpha [tasks, K, features] from what `selector_logits` gave."""
        raise NotImplementedError

    def call(self, support: Any, mask: Any = None) -> Any:
        """Compute log_alpha of each task."""
        return self.log_alpha(self.selector_logits(), support, mask)

    def pick(self, query: Any, support: Any, mask: Any = None, tau: Any = 1.0, noise: Any = None) -> Any:
        """Pick features of query rows through relaxed choices (eq. 1 to eq. 3), as in training.

        Args:
            query: [tasks, rows, features].
            support: [tasks, support, features].
            mask: boolean [tasks, support], or None.
            tau: the temperature.
            noise: standard Gumbel draws [tasks, K, features], or None.

        Returns:
            [tasks, rows, K].
        """
        return self.concrete(query, self(support, mask=mask), tau=tau, noise=noise)

    def relaxed(self, support: Any, mask: Any = None, tau: Any = 1.0, noise: Any = None) -> Any:
        """Give the relaxed choices z that `pick` picks through, float32 [tasks, K, features]."""
        return self.concrete.weights_of_features(self(support, mask=mask), tau, noise)

    def choose(self, support: Any, mask: Any = None) -> Choice:
        """Choose features for each task; a score is the probability that a selector gives its feature."""
        return choice_of(self(support, mask=mask), self.selection)

    def confidence(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Give the mean over selectors of the probability of their most likely feature: [tasks].

        It starts near 1 / M and nears 1 as the selectors settle.
        """
        probability = tf.nn.softmax(tf.cast(self(support, mask=mask), tf.float32), axis=-1)
        return tf.reduce_mean(tf.reduce_max(probability, axis=-1), axis=-1)

    def frozen(self) -> Choose:
        """Give `choose` for weights that will not change: what no support set can change is computed now."""
        logits = tf.constant(self.selector_logits())
        return lambda support, mask=None: choice_of(self.log_alpha(logits, support, mask), self.selection)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """Give no mask: the output has no support rows."""
        return None

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {
            **super().get_config(),
            "num_selected": self.num_selected,
            "selector_dim": self.selector_dim,
            "pi_stddev": self.pi_stddev,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "seed": self.seed,
            "selection": self.selection,
        }

    def _add_pi(self, num_features: int, kernel_initializer: Any, seed: int | None) -> None:
        """Make W_pi, b and pi."""
        self.pi_kernel = self.add_weight(
            name="pi_kernel", shape=(self.selector_dim, num_features), initializer=kernel_initializer
        )
        self.bias = self.add_weight(name="bias", shape=(num_features,), initializer="zeros")
        self.pi = self.add_weight(
            name="pi",
            shape=(self.num_selected, self.selector_dim),
            initializer=keras.initializers.RandomNormal(stddev=self.pi_stddev, seed=seed),
        )
