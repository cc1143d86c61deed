"""What a model answers when it is asked which features to measure."""

from typing import Any, NamedTuple, Protocol

import tensorflow as tf


class Choice(NamedTuple):
    """The features chosen for each task.

    Attributes:
        indices: int32 [tasks, K].
        scores: float32 [tasks, K]; NaN for a task whose values are too large to compute with.
    """

    indices: tf.Tensor
    scores: tf.Tensor


class Choose(Protocol):
    """A function that chooses features for tasks."""

    def __call__(self, support: Any, mask: Any = None) -> Choice:
        """Choose from support rows [tasks, support, features] and a mask, boolean [tasks, support] or None."""
