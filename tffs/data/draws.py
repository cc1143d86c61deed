"""Random numbers that are a pure function of (seed, stream, index), in bulk.

Counter-based generators: the n-th output depends on the key and on n alone. Asking for the numbers of item i
needs none of those before it, in any chunking, and resuming needs no generator state. None of this is called
inside the compiled training loop, so the numbers are the same whether the loop is compiled or not.
"""

import functools
from collections.abc import Callable

import tensorflow as tf

from tffs.data.threefry import threefry_2x32
from tffs.data.worker_share import WorkerShare

# One stream an independent use of the seed.
TRAINING_EPISODES, TRAINING_NOISE, VALIDATION_EPISODES = 1, 2, 3
RESIDUAL_EPISODES, RESIDUAL_SIZES, RESIDUAL_DROPOUT = 4, 5, 6

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


def gumbel(
    seed: int, stream: int, first: tf.Tensor, count: int, width: int, share: WorkerShare | None = None
) -> tf.Tensor:
    """Draw standard Gumbel numbers g = -log(-log(u)) in float32 for eq. 2.

    Noise is almost all that a training step draws, so it has a faster generator, which is always compiled by
    itself, whether the training loop is compiled or not.

    Args:
        seed: the run's seed.
        stream: which use of the seed.
        first: int64 scalar, the first item.
        count: how many items.
        width: numbers an item.
        share: which of them to draw for; None for all.

    Returns:
        float32 [count, width], or the rows of the share; row j is a function of (seed, stream, first + j)
        alone.
    """
    return _compiled_gumbel(stream, count, width, share)(tf.constant(seed, tf.uint32), first)


@functools.lru_cache(maxsize=32)
def _compiled_gumbel(
    stream: int, count: int, width: int, share: WorkerShare | None
) -> Callable[[tf.Tensor, tf.Tensor], tf.Tensor]:
    def draw(seed: tf.Tensor, first: tf.Tensor) -> tf.Tensor:
        items = first + tf.range(count, dtype=tf.int64)[:, None]
        items = items if share is None else share.of(items)
        shape = [items.shape[0], -(-width // 2)]
        counter = (
            tf.broadcast_to(tf.cast(tf.range(shape[1]), tf.uint32)[None, :], shape),
            tf.broadcast_to(tf.cast(items % 2**32, tf.uint32), shape),
        )
        high = tf.cast(items[0, 0] // 2**32, tf.uint32)  # no run has so many items that it would change within
        key = (
            seed,
            tf.constant(stream, tf.uint32) + tf.constant(256, tf.uint32) * high,
        )
        words = threefry_2x32(counter, key)
        return tf.concat([gumbel_of(word) for word in words], axis=1)[:, :width]

    signature = [tf.TensorSpec([], tf.uint32), tf.TensorSpec([], tf.int64)]
    return tf.function(draw, input_signature=signature, autograph=False, jit_compile=True)


def gumbel_of(words: tf.Tensor) -> tf.Tensor:
    """Turn random 32-bit words into standard Gumbel numbers.

    The 23 highest bits give u in the middle of one of 2**23 equal parts of (0, 1), so it is neither 0 nor 1
    and g is finite at both ends: about -2.8 and 16.6.

    Args:
        words: uint32.

    Returns:
        float32 of the same shape.
    """
    parts = tf.cast(tf.bitwise.right_shift(words, tf.constant(9, tf.uint32)), tf.int32)
    u = (tf.cast(parts, tf.float32) + 0.5) * 2.0**-23
    return -tf.math.log(-tf.math.log(u))
