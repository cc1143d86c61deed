"""TensorProtos to arrays, checked before anything is allocated, and arrays to TensorProtos."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

from tffs.serving.server.refusal import invalid
from tffs.serving.server.signature import TensorSpec

# The repeated field that holds the values where there is no tensor_content.
_FIELDS = {
    tf.float32: "float_val",
    tf.float64: "double_val",
    tf.int32: "int_val",
    tf.int64: "int64_val",
    tf.bool: "bool_val",
    tf.string: "string_val",
}
_WRITTEN = {np.dtype(dtype.as_numpy_dtype): (dtype.as_datatype_enum, field) for dtype, field in _FIELDS.items()}
_PACKED_FLOATS = bytes([tensor_pb2.TensorProto.FLOAT_VAL_FIELD_NUMBER << 3 | 2])


def array_of(proto: Any, spec: TensorSpec, most_rows: int) -> np.ndarray:
    """Read an input.

    A proto may declare a shape far beyond its contents, which TensorFlow would fill up with the last value;
    here the contents must be as many as the shape says, so that a small message never becomes a large array.

    Args:
        proto: a TensorProto.
        spec: what the signature takes.
        most_rows: see `Limits.request_rows`.
    """
    if proto.dtype != spec.dtype.as_datatype_enum:
        raise invalid(f"Input '{spec.name}' takes {spec.dtype.name}, but received {_dtype_name(proto.dtype)}.")
    shape = [dim.size for dim in proto.tensor_shape.dim]
    if proto.tensor_shape.unknown_rank or any(size < 0 for size in shape):
        raise invalid(f"Input '{spec.name}' must come with its whole shape.")
    spec.check_shape(shape, most_rows)
    size = math.prod(shape)
    content = proto.tensor_content
    if content and spec.dtype == tf.string:
        raise invalid(f"Input '{spec.name}' takes strings in string_val, but received tensor_content.")
    if content:
        dtype = np.dtype(spec.dtype.as_numpy_dtype)
        if len(content) != size * dtype.itemsize:
            raise _wrong_amount(spec, shape, f"{len(content)} bytes")
        if spec.dtype == tf.bool:  # whose bytes must be 0 or 1
            return (np.frombuffer(content, np.uint8) != 0).reshape(shape)
        return np.frombuffer(content, dtype).reshape(shape)
    values = getattr(proto, _FIELDS[spec.dtype])
    if len(values) != size:
        raise _wrong_amount(spec, shape, f"{len(values)} values")
    if spec.dtype == tf.string:
        return np.array(list(values), object).reshape(shape)
    return np.fromiter(values, spec.dtype.as_numpy_dtype, size).reshape(shape)


def fill_proto(proto: Any, array: np.ndarray) -> None:
    """Write an output as TF Serving does: the values in the field of their type, not in tensor_content."""
    proto.dtype, field = _WRITTEN[array.dtype]
    for size in array.shape:
        proto.tensor_shape.dim.add().size = size
    if field == "float_val":
        # A packed field is the array's own bytes: to merge them saves a Python number for each value.
        content = np.ascontiguousarray(array, "<f4").tobytes()
        proto.MergeFromString(_PACKED_FLOATS + _varint(len(content)) + content)
    else:
        getattr(proto, field).extend(array.ravel().tolist())


def _varint(number: int) -> bytes:
    digits = bytearray()
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    digits.append(number)
    return bytes(digits)


def _dtype_name(number: int) -> str:
    try:
        return str(tf.as_dtype(number).name)
    except (TypeError, ValueError):
        return f"type {number}"


def _wrong_amount(spec: TensorSpec, shape: Sequence[int], received: str) -> Exception:
    return invalid(f"Input '{spec.name}' declares the shape {list(shape)}, but received {received} with it.")
