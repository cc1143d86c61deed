"""Compiled training loops that are used again: compiling one takes as long as thousands of steps."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import tensorflow as tf

# Runs steps of a chunk, like `InnerLoop.run`.
Run = Callable[[Any, int, int, int], tf.Tensor]


class Programs:
    """Keeps loops of trainings that differ in nothing but the values of their variables and their chunks.

    A loop is kept with the places where it reads its variables. Another training puts its own there, so each
    has its own weights and moments, and runs the same program.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[Any, list[int]]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def run(self, name: Hashable, own: Any, variables: Sequence[tf.Variable]) -> Run:
        """Give what runs a training's steps: a loop that is kept, or the training's own, which is then kept.

        Args:
            name: what the loop is a function of, all but variables and chunks.
            own: the training's loop, a `tf.function` with one signature.
            variables: those that the loop reads and updates, in the same order for all trainings of a name.
        """
        handles = [variable.handle for variable in variables]

        def run(chunk: Any, first_step: int, start: int, stop: int) -> tf.Tensor:
            if name not in self._kept:
                program = own.get_concrete_function()
                places = {id(handle): place for place, handle in enumerate(handles)}
                self._kept[name] = program, [places[id(captured)] for captured in program.captured_inputs]
            program, order = self._kept[name]
            program.set_external_captures([handles[place] for place in order])
            return program(
                chunk,
                tf.constant(first_step, tf.int64),
                tf.constant(start, tf.int32),
                tf.constant(stop, tf.int32),
            )

        return run
