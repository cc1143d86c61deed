"""What a model with a decoder makes of the values of chosen features: a reconstruction, or classes."""

from typing import Any

import keras
import tensorflow as tf

from tffs.layers import TaskDecoder


class DecodingModel(keras.Model):
    """A model that chooses features and decodes rows from them.

    Attributes:
        decoder: gives M features, or the logits of classes.
        num_classes: how many classes it tells apart, or None if it reconstructs.
    """

    decoder: TaskDecoder
    num_classes: int | None

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
