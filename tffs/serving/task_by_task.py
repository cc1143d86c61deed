"""Compute large tasks one after the other, so that a batch needs no more memory than a task."""

from collections.abc import Callable
from typing import TypeVar

import tensorflow as tf

Result = TypeVar("Result")

MOST_FEATURES = 256  # of tasks whose covariances, [tasks, M, M], are kept all at once


def task_by_task(compute: Callable[..., Result], inputs: tuple[tf.Tensor, ...], num_features: int) -> Result:
    """Give `compute(*inputs)`, for many features one task at a time.

    Args:
        compute: gives tensors that have the tasks first, like its inputs.
        inputs: its arguments.
        num_features: M.
    """
    if num_features <= MOST_FEATURES:
        return compute(*inputs)

    def one(task: tuple[tf.Tensor, ...]) -> Result:
        return tf.nest.map_structure(lambda tensor: tensor[0], compute(*(tensor[None] for tensor in task)))

    # Traced before for the types of its results.
    specs = [tf.TensorSpec(tensor.shape[1:], tensor.dtype) for tensor in inputs]
    traced = tf.function(lambda *task: one(task), autograph=False).get_concrete_function(*specs)
    results = traced.structured_outputs
    types = tf.nest.map_structure(lambda tensor: tf.TensorSpec(tensor.shape, tensor.dtype), results)
    return tf.map_fn(one, inputs, fn_output_signature=types, parallel_iterations=1)
