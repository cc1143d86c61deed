"""Inputs of a signature that are almost right, as arrays."""

import random
from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from tffs.serving import contract
from tffs.serving.server.signature import Signature, TensorSpec

_STRANGE = (np.nan, np.inf, -np.inf, 3.4e38, -3.4e38, 1e-45, -0.0, 16777217.0)


def draw_inputs(source: random.Random, signature: Signature) -> dict[str, np.ndarray]:
    """Draw the inputs of a request, each of a shape that mostly fits."""
    tasks, rows = source.choice((1, 1, 2, 3)), source.choice((2, 2, 4, 1, 0, 3))
    return {
        name: _array(source, spec, tasks if source.random() < 0.98 else tasks + 1, rows)
        for name, spec in signature.inputs.items()
    }


def serialized_example(source: random.Random, columns: int) -> bytes:
    """Draw a tf.train.Example of support rows, or something like it."""
    size = source.choice((2 * columns, 2 * columns, 4 * columns, 1, 0))
    values = tf.train.FloatList(value=[source.uniform(-2.0, 2.0) for _ in range(size)])
    feature = tf.train.Feature(float_list=values)
    if source.random() < 0.1:
        feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    features = tf.train.Features(feature={source.choice((contract.SUPPORT,) * 9 + ("x",)): feature})
    data = tf.train.Example(features=features).SerializeToString()
    return data if source.random() < 0.9 else data[: source.randint(0, len(data))]


def _array(source: random.Random, spec: TensorSpec, tasks: int, rows: int) -> np.ndarray:
    sizes = [tasks, *(rows if size is None else size for size in spec.shape[1:])]
    if source.random() < 0.05:
        at = source.randrange(len(sizes))
        sizes[at] = max(sizes[at] + source.choice((-1, 1)), 0)
    count = int(np.prod(sizes))
    if spec.dtype == tf.string:
        return np.array([serialized_example(source, 6) for _ in range(count)], object).reshape(sizes)
    if spec.dtype == tf.bool:
        return np.array([source.random() < 0.2 for _ in range(count)], bool).reshape(sizes)
    if spec.dtype.is_integer:
        few = (rows, rows, rows, 0, 1, -1, 2**31 - 1)
        return np.array([source.choice(few) for _ in range(count)], spec.dtype.as_numpy_dtype).reshape(sizes)
    values = np.array([source.uniform(-2.0, 2.0) for _ in range(count)], np.float32)
    if spec.name == "costs":
        values = np.abs(values)
    if count and source.random() < 0.15:
        values[source.randrange(count)] = source.choice(_STRANGE)
    return values.reshape(sizes)


def drawn_signature(source: random.Random, signatures: Mapping[str, Signature]) -> Signature:
    """Draw one of a model's signatures."""
    return signatures[source.choice(sorted(signatures))]
