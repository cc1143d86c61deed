"""A model put together from a selector layer and a decoder layer."""

from typing import Any

import keras
import tensorflow as tf

from tffs.layers.arguments import positive_int
from tffs.models import protocol
from tffs.models.episodic_model import EpisodicModel
from tffs.selection import Choose

SELECTOR_INTERFACE = ("num_selected", "least_features", "pick", "choose", "confidence", "frozen")
DECODER_INTERFACE = ("num_features",)


@keras.saving.register_keras_serializable("tffs")
class FewShotSelector(EpisodicModel):
    """Select K features for a task from a few rows of it, and reconstruct the others, or predict labels.

    Training calls the relaxed model (`call`); afterwards `select` chooses features from a support set and
    `reconstruct` gives all features from the values of the chosen ones, or `classify` gives classes.
    `concrete_model` and `fixed_model` put the usual ones together.

    Args:
        selector: the layer that chooses: `TaskSelector` (the paper), `SharedSelector`, `FixedFeatures` or
            another with the interface of `ConcreteSelector`.
        decoder: the layer called as `decoder(values, support, mask=mask)`: `TaskDecoder` or another. Its
            `num_features` is the number of features, or of classes.
        num_features: M.
        num_classes: None if the decoder reconstructs, or how many classes it gives logits of.

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> selector = tffs.TaskSelector(num_selected=2, selector_dim=4, seed=0)
        >>> model = tffs.FewShotSelector(selector, tffs.TaskDecoder(num_features=5, seed=0), num_features=5)
        >>> model.build()
        >>> support = np.zeros((1, 3, 5), "float32")  # one task, three rows, five features
        >>> model.select(support).shape
        TensorShape([1, 2])
        >>> model.reconstruct(support, np.zeros((1, 7, 2), "float32")).shape  # seven rows from two values each
        TensorShape([1, 7, 5])
    """

    PARTS = ("selector", "decoder")

    def __init__(
        self,
        selector: keras.layers.Layer,
        decoder: keras.layers.Layer,
        num_features: int,
        num_classes: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        _check_layer("selector", selector, SELECTOR_INTERFACE)
        _check_layer("decoder", decoder, DECODER_INTERFACE)
        self.num_features = positive_int("num_features", num_features)
        self.num_classes = None if num_classes is None else positive_int("num_classes", num_classes)
        self.selector = selector
        self.decoder = decoder
        self.num_selected = selector.num_selected
        if selector.least_features > num_features:
            raise ValueError(
                f"Expected at least {selector.least_features} features, which the selector chooses from. "
                f"Received: num_features={num_features}"
            )
        outputs = num_features if num_classes is None else num_classes
        if decoder.num_features != outputs:
            each = "feature" if num_classes is None else "class"
            raise ValueError(
                f"Expected a decoder that gives {outputs} numbers for a row, one for each {each}. "
                f"Received: one that gives {decoder.num_features}"
            )

    @property
    def abilities(self) -> frozenset[str]:
        """What it can do; see `tffs.models.protocol`."""
        decodes = protocol.RECONSTRUCT if self.num_classes is None else protocol.CLASSIFY
        return frozenset({protocol.SELECT, decodes})

    def build(self, input_shape: Any = None) -> None:
        """Make all weights; the sizes are known, so no data is needed."""
        support_shape = (None, None, self.num_features)
        if not self.selector.built:  # they are if they come from a file
            self.selector.build(support_shape)
        if not self.decoder.built:
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
        support, mask = inputs["support"], inputs.get("support_mask")
        picked = self.selector.pick(inputs["query"], support, mask, tau, noise)
        return self.decoder(picked, support, mask=mask)

    def select(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Choose features for each task from its support rows: int32 [tasks, K]."""
        return self.selector.choose(support, mask).indices

    def frozen(self) -> Choose:
        """Give `select`, with scores, for weights that will not change."""
        return self.selector.frozen()

    def confidence(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Give how settled the choice is, from about 1 / M to 1: [tasks]."""
        return self.selector.confidence(support, mask)

    def decode(self, support: Any, values: Any, mask: Any = None) -> Any:
        """Give what the decoder makes of rows: features, or logits of classes.

        Args:
            support: [tasks, support, features].
            values: [tasks, rows, K], in the order in which `select` gave the features.
            mask: boolean [tasks, support], or None.

        Returns:
            [tasks, rows, features] or [tasks, rows, classes].
        """
        return self.decoder(values, support, mask=mask)

    def reconstruct(self, support: Any, values: Any, mask: Any = None) -> Any:
        """Reconstruct all features of rows from the values of the chosen ones: [tasks, rows, features]."""
        if self.num_classes is not None:
            raise ValueError(
                f"This model predicts {self.num_classes} classes (loss=cross_entropy) and reconstructs "
                "nothing: call classify."
            )
        return self.decode(support, values, mask)

    def classify(self, support: Any, values: Any, mask: Any = None) -> tf.Tensor:
        """Give the probabilities of rows' classes from their chosen features: [tasks, rows, classes]."""
        if self.num_classes is None:
            raise ValueError(
                "This model reconstructs features (loss=reconstruction) and knows no classes: call reconstruct."
            )
        return tf.nn.softmax(self.decode(support, values, mask))

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), "num_features": self.num_features, "num_classes": self.num_classes}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> "FewShotSelector":
        """Build from what `get_config` gave, also that of releases before 0.6.0."""
        if "decoder" not in config:
            from tffs.models.assembly import concrete_model  # which puts this class together

            return concrete_model(**config)
        return super().from_config(config, custom_objects)


def _check_layer(name: str, layer: Any, interface: tuple[str, ...]) -> None:
    """Say that an argument is no layer of its kind, if it is not."""
    if not isinstance(layer, keras.layers.Layer) or not all(hasattr(layer, part) for part in interface):
        raise ValueError(
            f"Expected a {name} layer with {', '.join(interface)}; tffs.concrete_model makes the paper's model "
            f"from its sizes. Received: {name}={layer!r}"
        )
