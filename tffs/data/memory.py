"""Arrays that NumPy and TensorFlow share, because all rows of all tasks are too much to hold twice."""

import numpy as np
import tensorflow as tf

_ALIGNMENT = 64  # what TensorFlow asks of memory that it did not allocate


def shareable(shape: tuple[int, ...]) -> np.ndarray:
    """Allocate a float32 array that TensorFlow can use in place."""
    size = int(np.prod(shape)) * 4
    buffer = np.empty(size + _ALIGNMENT, np.uint8)
    start = -buffer.ctypes.data % _ALIGNMENT
    return buffer[start : start + size].view(np.float32).reshape(shape)


def shared_tensor(array: np.ndarray) -> tf.Tensor:
    """Give an array as a tensor on the CPU: the same memory if it came from `shareable`, else a copy."""
    with tf.device("CPU:0"):
        if array.size and array.flags.c_contiguous and array.ctypes.data % _ALIGNMENT == 0:
            return tf.experimental.dlpack.from_dlpack(array.__dlpack__())
        return tf.constant(array)
