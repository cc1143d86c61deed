"""Serialized tf.Examples around the bytes of their list of floats."""

import numpy as np

VALUES = [1.0, -2.5, 3.25]


def around(floats):
    """Write an Example around the bytes of its list of floats."""
    message = floats
    for before in (b"\x12", b"\n\x07support\x12", b"\n", b"\n"):
        message = before + bytes([len(message)]) + message
    return message


# It announces more floats than it has; TensorFlow's parser ends the process.
LYING = around(b"\n\x84\xd5\x8d\xb0\x3f" + np.float32(VALUES).tobytes())
