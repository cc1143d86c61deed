"""Random numbers that are a pure function of (seed, stream, index), in bulk.

Philox is a counter-based generator: its n-th output depends on the key and on n alone. Asking for the outputs
from n on therefore gives the numbers of item i without drawing those of the items before it, in any chunking;
resuming needs no generator state. XLA has a generator of its own, so these are called outside it: the numbers
are then the same whether the training loop is compiled or not.
"""

import tensorflow as tf

# One stream an independent use of the seed.
TRAINING_EPISODES, TRAINING_NOISE, VALIDATION_EPISODES = 1, 2, 3

_PHILOX = 1
_WORDS_PER_COUNT = 4  # 32-bit words that one counter value yields


def uniform(
    seed: int, stream: int, first: tf.Tensor, count: int | tf.Tensor, width: int, dtype: tf.DType
) -> tf.Tensor:
    """Draw `width` uniform numbers in [0, 1) for each of the items `first` to `first + count - 1`.

    Args:
        seed: the run's seed.
        stream: which use of the seed; different streams never share a number.
        first: int64 scalar, the first item.
        count: how many items.
        width: numbers an item.
        dtype: float32 or float64.

    Returns:
        [count, width] of `dtype`; row j is a function of (seed, stream, first + j) alone.
    """
    per_count = _WORDS_PER_COUNT // (dtype.size // 4)
    counts_an_item = -(-width // per_count)
    low = tf.cast(first, tf.uint64) * tf.constant(counts_an_item, tf.uint64)
    drawn = tf.raw_ops.StatelessRandomUniformV2(
        shape=tf.stack([count, counts_an_item * per_count]),
        key=tf.constant([seed], tf.uint64),
        counter=tf.stack([low, tf.constant(stream, tf.uint64)]),
        alg=_PHILOX,
        dtype=dtype,
    )
    return drawn[:, :width]


def gumbel(seed: int, stream: int, first: tf.Tensor, count: int | tf.Tensor, width: int) -> tf.Tensor:
    """Draw standard Gumbel numbers g = -log(-log(u)) in float32 for eq. 2.

    u is clipped at both ends, because float32 can draw exactly 0 and can round up to 1, and either would
    give an infinite g. The clipped g lies in about [-2.8, 16.6].

    Args:
        seed: the run's seed.
        stream: which use of the seed.
        first: int64 scalar, the first item.
        count: how many items.
        width: numbers an item.

    Returns:
        float32 [count, width].
    """
    u = tf.clip_by_value(uniform(seed, stream, first, count, width, tf.float32), 2.0**-24, 1.0 - 2.0**-24)
    return -tf.math.log(-tf.math.log(u))
