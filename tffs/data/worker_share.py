"""One worker's part of every step's episodes."""

from typing import NamedTuple

import tensorflow as tf


class WorkerShare(NamedTuple):
    """Of every `group` items in a row, the `size` items from `first` on.

    Attributes:
        group: items in a group.
        first: the first item of a group that is in the share.
        size: how many are.
    """

    group: int
    first: int
    size: int

    def of(self, items: tf.Tensor) -> tf.Tensor:
        """Keep the share of `items`, [groups * group, ...], in their order."""
        rest = items.shape[1:]
        groups = tf.reshape(items, [-1, self.group, *rest])
        return tf.reshape(groups[:, self.first : self.first + self.size], [-1, *rest])
