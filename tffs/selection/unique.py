"""K distinct features, greedily, by graph operations."""

import tensorflow as tf


def select_unique(log_alpha: tf.Tensor) -> tf.Tensor:
    """Give every selector a feature of its own.

    On the row-wise log-softmax, the highest entry of the [K, M] matrix is taken first, then its row and
    column are out, and so on. At most K - 1 columns go before a selector's turn, so its K best features hold
    its choice: the loop works on [K, K] candidates and its cost does not grow with M.

    Args:
        log_alpha: [tasks, K, M] with K <= M.

    Returns:
        int32 [tasks, K]; slot k is selector k's feature, because the decoder's inputs are ordered.
    """
    log_probability = tf.nn.log_softmax(tf.cast(log_alpha, tf.float32), axis=-1)
    num_selected = log_alpha.shape[-2]
    values, features = tf.math.top_k(log_probability, k=num_selected)
    tasks = tf.shape(log_alpha)[0]
    lowest = tf.constant(float("-inf"))
    slots = tf.range(num_selected)

    def take(step: tf.Tensor, values: tf.Tensor, chosen: tf.Tensor) -> tuple[tf.Tensor, ...]:
        flat = tf.argmax(tf.reshape(values, [tasks, -1]), axis=-1, output_type=tf.int32)
        slot = flat // num_selected
        feature = tf.gather(tf.reshape(features, [tasks, -1]), flat, batch_dims=1)
        row = slots[None, :] == slot[:, None]
        gone = row[:, :, None] | (features == feature[:, None, None])
        values = tf.ensure_shape(tf.where(gone, lowest, values), values.shape)
        return step + 1, values, tf.ensure_shape(tf.where(row, feature[:, None], chosen), chosen.shape)

    start = (0, values, tf.zeros_like(features[:, :, 0]))
    return tf.while_loop(lambda step, *_: step < num_selected, take, start)[2]
