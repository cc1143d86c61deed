"""The paper's model: a task-conditioned selector and a task-conditioned decoder."""

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from tffs.layers import ConcreteSelect, SharedSelector, TaskDecoder, TaskSelector
from tffs.layers.initialization import child_seeds, positive_int
from tffs.models.decoding_model import DecodingModel
from tffs.selection import select

SELECTORS = ("task", "direct", "embedding")


@keras.saving.register_keras_serializable("tffs")
class FewShotSelector(DecodingModel):
    """Select K features for a task from a few rows of it, and reconstruct the others, or predict labels.

    Training calls the relaxed model (`call`); afterwards `select` chooses features from a support set and
    `reconstruct` gives all features from the values of the chosen ones, or `classify` gives classes.

    Args:
        num_features: M.
        num_selected: K, at most M.
        selector_dim: T, the size of each pi^(k).
        embedding_units: size of f in both permutation-invariant networks.
        decoder_units: sizes of the decoder's hidden layers.
        task_code_dim: size of r(S); 0 leaves it out.
        pi_stddev: standard deviation of the initial pi.
        output_activation: of a reconstruction: `sigmoid`, `tanh` or `linear`.
        kernel_initializer: of all kernels.
        selection: `argmax` (the paper) or `unique` (K distinct features).
        selector: what log_alpha depends on: `task` (the paper: on the support set), or the same for every task,
            as a `direct` parameter or through an `embedding`. A direct one with `task_code_dim=0` makes the
            model a concrete autoencoder.
        seed: makes the initial weights reproducible.
        num_classes: None to reconstruct, or how many classes the decoder gives logits of.
    """

    def __init__(
        self,
        num_features: int,
        num_selected: int,
        selector_dim: int = 300,
        embedding_units: int = 64,
        decoder_units: Sequence[int] = (32, 32),
        task_code_dim: int = 1,
        pi_stddev: float = 0.05,
        output_activation: str = "sigmoid",
        kernel_initializer: Any = "glorot_uniform",
        selection: str = "argmax",
        selector: str = "task",
        seed: int | None = None,
        num_classes: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_features = positive_int("num_features", num_features)
        self.num_selected = positive_int("num_selected", num_selected)
        if num_selected > num_features:
            raise ValueError(
                f"Expected num_selected <= num_features = {num_features}. Received: num_selected={num_selected}"
            )
        if selector not in SELECTORS:
            raise ValueError(f"Expected one of {', '.join(SELECTORS)}. Received: selector={selector!r}")
        self.num_classes = None if num_classes is None else positive_int("num_classes", num_classes)
        self.selection = selection
        self._arguments = {
            "num_features": num_features,
            "num_selected": num_selected,
            "selector_dim": selector_dim,
            "embedding_units": embedding_units,
            "decoder_units": tuple(decoder_units),
            "task_code_dim": task_code_dim,
            "pi_stddev": pi_stddev,
            "output_activation": output_activation,
            "kernel_initializer": keras.initializers.serialize(keras.initializers.get(kernel_initializer)),
            "selection": selection,
            "selector": selector,
            "seed": seed,
            "num_classes": num_classes,
        }
        selector_seed, decoder_seed = child_seeds(seed, 2)
        self.selector = (
            TaskSelector(
                num_selected,
                selector_dim,
                embedding_units,
                pi_stddev,
                kernel_initializer,
                selector_seed,
                dtype=self.dtype_policy,
                name="selector",
            )
            if selector == "task"
            else SharedSelector(
                num_selected,
                selector_dim if selector == "embedding" else None,
                pi_stddev,
                kernel_initializer,
                selector_seed,
                dtype=self.dtype_policy,
                name="selector",
            )
        )
        self.concrete = ConcreteSelect(dtype=self.dtype_policy, name="concrete")
        self.decoder = TaskDecoder(
            num_features if num_classes is None else num_classes,
            decoder_units,
            task_code_dim,
            embedding_units,
            output_activation if num_classes is None else "linear",
            kernel_initializer,
            decoder_seed,
            dtype=self.dtype_policy,
            name="decoder",
        )

    def build(self, input_shape: Any = None) -> None:
        """Make all weights; the sizes are known, so no data is needed."""
        support_shape = (None, None, self.num_features)
        self.selector.build(support_shape)
        self.decoder.build((None, None, self.num_selected), support_shape)
        self.built = True

    def call(self, inputs: dict[str, Any], tau: Any = 1.0, noise: Any = None) -> Any:
        """Decode query rows through relaxed choices (eq. 1 to eq. 4).

        Args:
            inputs: `support` [tasks, support, features], `query` [tasks, rows, features] and, where supports
                are padded, `support_mask` boolean [tasks, support].
            tau: the temperature.
            noise: standard Gumbel draws [tasks, K, features], or None.

        Returns:
            [tasks, rows, features], or logits [tasks, rows, classes].
        """
        support, query, mask = inputs["support"], inputs["query"], inputs.get("support_mask")
        log_alpha = self.selector(support, mask=mask)
        selected = self.concrete(query, log_alpha, tau=tau, noise=noise)
        return self.decoder(selected, support, mask=mask)

    def log_alpha(self, support: Any, mask: Any = None) -> Any:
        """Compute the parameters of the Concrete variables (eq. 3): [tasks, K, features]."""
        return self.selector(support, mask=mask)

    def select(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Choose features for each task with the model's selection mode: int32 [tasks, K]."""
        return select(self.log_alpha(support, mask), self.selection)

    def confidence(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Give the mean over selectors of the probability of their most likely feature: [tasks].

        It starts near 1 / M and nears 1 as the selectors settle.
        """
        probability = tf.nn.softmax(tf.cast(self.log_alpha(support, mask), tf.float32), axis=-1)
        return tf.reduce_mean(tf.reduce_max(probability, axis=-1), axis=-1)

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), **self._arguments}
