"""FixedFeatures: the same features for every task, chosen beforehand."""

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from tffs.layers.arguments import feature_indices
from tffs.selection import Choice, Choose


@keras.saving.register_keras_serializable("tffs")
class FixedFeatures(keras.layers.Layer):
    """Give every task the same features; nothing is learned.

    It takes the place of `TaskSelector` where the choice is made elsewhere, so that what differs between two
    models is the choice alone. It has the interface of `ConcreteSelector`.

    Args:
        features: the K chosen features, in the order in which the decoder is given their values.

    Call arguments:
        support: [tasks, support, features]; only the number of tasks is read.
        mask: not read.

    Output shape:
        int32 [tasks, K].

    Example:
        >>> import numpy as np
        >>> import tffs
        >>> layer = tffs.FixedFeatures([4, 0])
        >>> layer(np.zeros((2, 3, 5))).numpy()  # two tasks of three rows
        array([[4, 0],
               [4, 0]], dtype=int32)
    """

    def __init__(self, features: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.features = feature_indices("features", features)
        self.num_selected = len(self.features)

    @property
    def least_features(self) -> int:
        """How many features there must be to choose from."""
        return max(self.features) + 1

    def call(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Give the features once for each task."""
        return tf.tile(tf.constant([self.features], tf.int32), [tf.shape(support)[0], 1])

    def pick(self, query: Any, support: Any, mask: Any = None, tau: Any = 1.0, noise: Any = None) -> Any:
        """Read the features of query rows: [tasks, rows, K]; the temperature and the noise have no say."""
        return tf.gather(query, self.features, axis=-1)

    def choose(self, support: Any, mask: Any = None) -> Choice:
        """Give the features for each task, each with the score 1."""
        indices = self(support)
        return Choice(indices, tf.ones_like(indices, tf.float32))

    def confidence(self, support: Any, mask: Any = None) -> tf.Tensor:
        """Give one for each task: nothing is left to settle."""
        return tf.ones([tf.shape(support)[0]])

    def frozen(self) -> Choose:
        """Give `choose`: there is nothing to compute beforehand."""
        return self.choose

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """Give no mask: the output has no support rows."""
        return None

    def get_config(self) -> dict[str, Any]:
        """Give the constructor's arguments."""
        return {**super().get_config(), "features": self.features}
