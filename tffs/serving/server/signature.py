"""What a signature takes and gives, and whether a request fits, before it can meet another request."""

import dataclasses
import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tffs.serving import contract
from tffs.serving.server.limits import Limits
from tffs.serving.server.refusal import invalid, shown

MOST_NAMED = 8  # a request may hold millions of names that are not known


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """One input.

    Attributes:
        name: as the signature has it.
        tensor: its name in the graph.
        dtype: its TensorFlow type.
        shape: its dimensions, None where any size is taken.
    """

    name: str
    tensor: str
    dtype: tf.DType
    shape: tuple[int | None, ...]

    def check_shape(self, shape: Sequence[int], most_rows: int) -> None:
        """Refuse a tensor of another shape, of no tasks, of no rows except support rows, or of too many."""
        fits = len(shape) == len(self.shape) and all(
            expected in (None, size) for expected, size in zip(self.shape, shape, strict=True)
        )
        if not fits:
            raise invalid(
                f"Input '{self.name}' takes the shape {_written(self.shape)}, but received {_written(shape)}."
            )
        rows = self.count_rows(shape)
        if rows < 1 and not (self.name == contract.SUPPORT and shape[0]):
            raise invalid(
                f"Input '{self.name}' is empty, of shape {_written(shape)}: send at least one task and one row."
            )
        if rows == 0 and shape[0] > most_rows:  # tasks without rows
            raise invalid(
                f"Input '{self.name}' holds {shape[0]} tasks, but a request may hold {most_rows}: send several "
                "requests."
            )
        if rows > most_rows:
            raise invalid(
                f"Input '{self.name}' holds {rows} rows over all its tasks, but a request may hold "
                f"{most_rows}: send several requests."
            )

    def count_rows(self, shape: Sequence[int]) -> int:
        """Count the rows of all tasks in a tensor that fits."""
        return math.prod(size for expected, size in zip(self.shape, shape, strict=True) if expected is None)


@dataclasses.dataclass(frozen=True)
class Signature:
    """One signature of a loaded model.

    Attributes:
        name: as requests have it.
        inputs: by name.
        outputs: the graph's tensors by name.
        values_a_task: how many values the outputs have that grow with the tasks alone.
        values_a_row: how many values the outputs have that grow with the rows of all tasks.
        texts_alone: whether every output is one text a task, of any length.
    """

    name: str
    inputs: Mapping[str, TensorSpec]
    outputs: Mapping[str, str]
    values_a_task: int
    values_a_row: int
    texts_alone: bool

    @classmethod
    def from_definition(cls, name: str, definition: Any) -> "Signature":
        """Read a SignatureDef, whose tensors must all have dimensions with tasks as the first."""
        inputs = {}
        for key, info in definition.inputs.items():
            if info.tensor_shape.unknown_rank or not info.tensor_shape.dim:
                raise ValueError(f"input '{key}' of signature '{name}' has no first dimension to batch on")
            shape = tuple(None if dim.size < 0 else dim.size for dim in info.tensor_shape.dim)
            inputs[key] = TensorSpec(key, info.name, tf.as_dtype(info.dtype), shape)
        a_task = a_row = 0
        for info in definition.outputs.values():
            sizes = [dim.size for dim in info.tensor_shape.dim]
            values = math.prod(size for size in sizes if size >= 0)
            if info.tensor_shape.unknown_rank or sum(size < 0 for size in sizes) > 1:
                a_row += values
            else:
                a_task += values
        return cls(
            name,
            inputs,
            {key: info.name for key, info in definition.outputs.items()},
            a_task,
            a_row,
            all(
                tf.as_dtype(info.dtype) == tf.string and len(info.tensor_shape.dim) < 2
                for info in definition.outputs.values()
            ),
        )

    def check_names(self, names: Collection[str]) -> None:
        """Refuse a request that lacks an input or has one that is not known, in TF Serving's words."""
        if names == self.inputs.keys():
            return
        unknown = (shown(name) for name in names if name not in self.inputs)
        extra = ",".join(sorted(itertools.islice(unknown, MOST_NAMED)))
        missing = ",".join(sorted(self.inputs.keys() - set(names)))
        raise invalid(
            f"input size does not match signature: {len(names)}!={len(self.inputs)}. "
            f"Sent extra: {{{shown(extra)}}}. Missing but required: {{{missing}}}."
        )

    def count_tasks(self, inputs: Mapping[str, np.ndarray]) -> int:
        """Count the tasks of a request, which must be as many in all its inputs."""
        counts = {name: len(array) for name, array in inputs.items()}
        if len(set(counts.values())) > 1:
            sizes = ", ".join(f"'{name}' {count}" for name, count in sorted(counts.items()))
            raise invalid(f"All inputs must hold as many tasks, but the first dimensions are {sizes}.")
        return next(iter(counts.values()))

    def check_answer(self, inputs: Mapping[str, np.ndarray], limits: Limits) -> int:
        """Refuse a small request for a giant answer, before anything is computed.

        Returns:
            How many values the answer will have.
        """
        tasks = self.count_tasks(inputs)
        if self.texts_alone and tasks > limits.answer_texts:
            raise invalid(
                f"Signature '{self.name}' answers at most {limits.answer_texts} tasks at a time, but "
                f"received {tasks}: send several requests."
            )
        rows = max(
            spec.count_rows(inputs[name].shape)
            for name, spec in self.inputs.items()
            if name != contract.SUPPORT or len(self.inputs) == 1
        )
        values = tasks * self.values_a_task + rows * self.values_a_row
        if values > limits.answer_values:
            raise invalid(
                f"The answer would hold {values} values, but it may hold {limits.answer_values}: "
                "send several requests."
            )
        return values


def _written(shape: Sequence[int | None]) -> str:
    sizes = ["any" if size is None else str(size) for size in shape[:8]]
    return f"[{', '.join(sizes)}{', ...' if len(shape) > 8 else ''}]"
