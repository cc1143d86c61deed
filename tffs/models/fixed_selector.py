"""A fixed choice of features with the paper's decoder: the yardstick for any selector."""

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from tffs.layers import TaskDecoder
from tffs.models.decoding_model import DecodingModel


@keras.saving.register_keras_serializable("tffs")
class FixedSelector(DecodingModel):
    """Give every task the same features, chosen beforehand; only the decoder learns.

    It is called, trained and validated exactly like `FewShotSelector`, so what differs is the choice alone.

    Args:
        num_features: M.
        features: the K chosen features.
        decoder_units: sizes of the decoder's hidden layers.
        task_code_dim: size of r(S).
        embedding_units: size of f in r(S).
        output_activation: of a reconstruction: `sigmoid`, `tanh` or `linear`.
        seed: makes the initial weights reproducible.
        num_classes: None to reconstruct, or how many classes the decoder gives logits of.
    """

    def __init__(
        self,
        num_features: int,
        features: Sequence[int],
        decoder_units: Sequence[int] = (32, 32),
        task_code_dim: int = 1,
        embedding_units: int = 64,
        output_activation: str = "sigmoid",
        seed: int | None = None,
        num_classes: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_features = num_features
        self.features = tuple(int(feature) for feature in features)
        self.num_selected = len(self.features)
        self.num_classes = num_classes
        self._arguments = {
            "num_features": num_features,
            "features": self.features,
            "decoder_units": tuple(decoder_units),
            "task_code_dim": task_code_dim,
            "embedding_units": embedding_units,
            "output_activation": output_activation,
            "seed": seed,
            "num_classes": num_classes,
        }
        self.decoder = TaskDecoder(
            num_features if num_classes is None else num_classes,
            decoder_units,
            task_code_dim,
            embedding_units,
            output_activation if num_classes is None else "linear",
            seed=seed,
            dtype=self.dtype_policy,
            name="decoder",
        )

    def build(self, input_shape: Any = None) -> None:
        """Make all weights; the sizes are known, so no data is needed."""
        self.decoder.build((None, None, self.num_selected), (None, None, self.num_features))
        self.built = True

    def call(self, inputs: dict[str, Any], tau: Any = 1.0, noise: Any = None) -> Any:
        """Decode query rows from the fixed features; the temperature and the noise have no say."""
        values = tf.gather(inputs["query"], self.features, axis=-1)
        return self.decoder(values, inputs["support"], mask=inputs.get("support_mask"))

    def select(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Give the fixed features for each task: int32 [tasks, K]."""
        return tf.tile(tf.constant([self.features], tf.int32), [tf.shape(support)[0], 1])

    def confidence(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Give one for each task: nothing is left to settle."""
        return tf.ones([tf.shape(support)[0]])

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), **self._arguments}
