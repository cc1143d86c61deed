"""ConcreteSelector: what the layers have in common that choose features by Concrete variables."""

from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf

from tffs.layers.arguments import positive_int
from tffs.layers.concrete_select import ConcreteSelect
from tffs.selection import Choice, Choose, choice_of, known_selection


class ConcreteSelector(keras.layers.Layer):
    """Choose K features by the parameters of K Concrete variables, which a subclass computes in `call`.

    This is also the interface of every selector layer of `FewShotSelector`: `num_selected`, `least_features`,
    `build`, `pick`, `choose`, `confidence` and `frozen`.

    Args:
        num_selected: K.
        selection: which feature a selector takes: `argmax` (the paper) or `unique` (K distinct features).

    Call arguments:
        support: [tasks, support, features].
        mask: boolean [tasks, support], False where a row only pads, or None.

    Output shape:
        [tasks, K, features], log_alpha.
    """

    def __init__(self, num_selected: int, selection: str = "argmax", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.num_selected = positive_int("num_selected", num_selected)
        self.selection = known_selection(selection)
        self.concrete = ConcreteSelect(dtype=self.dtype_policy, name="concrete")

    @property
    def least_features(self) -> int:
        """How many features there must be to choose from."""
        return self.num_selected

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
        log_alpha = self.frozen_log_alpha()
        return lambda support, mask=None: choice_of(log_alpha(support, mask), self.selection)

    def frozen_log_alpha(self) -> Callable[..., Any]:
        """Give `call` for weights that will not change."""
        raise NotImplementedError

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """Give no mask: the output has no support rows."""
        return None

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), "num_selected": self.num_selected, "selection": self.selection}
