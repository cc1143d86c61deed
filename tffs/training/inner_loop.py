"""The inner loop: many gradient steps in one compiled call."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tffs.training.adam import Adam
from tffs.training.chunks import Chunk
from tffs.training.objective import LOSSES
from tffs.training.schedule import temperature
from tffs.training.workers import ALONE, Workers

# Gives the loss of step i of a chunk, which is step `number` of the run.
Objective = Callable[[Any, tf.Tensor, tf.Tensor], tf.Tensor]


class InnerLoop:
    """Lines 3 to 8 of algorithm 1 for the steps of a chunk.

    One trace and, with `jit`, one compilation serve every call, whatever part of a chunk it runs.

    Args:
        model: called as `model({"support", "query"}, tau=..., noise=...)`.
        optimizer: updates the model's trainable variables.
        spec: the shapes of a chunk.
        steps: I, the length of the annealing.
        initial_temperature: T_0.
        final_temperature: T_1.
        jit: compile with XLA.
        loss: what is minimized, by its name in `LOSSES`.
        workers: who shares the episodes of a step; each is given its own in the chunks.
        objective: gives the loss where the chunks are of another kind than `Chunk`; the model is not called.
    """

    def __init__(
        self,
        model: Any,
        optimizer: Adam,
        spec: Any,
        steps: int,
        initial_temperature: float,
        final_temperature: float,
        jit: bool,
        loss: str = "reconstruction",
        workers: Workers = ALONE,
        objective: Objective | None = None,
    ) -> None:
        self._model = model
        self._variables = [variable.value for variable in model.trainable_variables]
        self._optimizer = optimizer
        self._schedule = (steps, initial_temperature, final_temperature)
        self._loss = LOSSES[loss].of
        self._objective = objective or self._relaxed
        self._workers = workers
        whole = tf.TensorSpec([], tf.int32)
        self.run = tf.function(
            self._run,
            input_signature=(spec, tf.TensorSpec([], tf.int64), whole, whole),
            autograph=False,
            jit_compile=jit,
        )

    @property
    def state(self) -> list[tf.Variable]:
        """All variables that the loop reads or updates."""
        moments = (*self._optimizer.first_moments, *self._optimizer.second_moments)
        return [*(variable.value for variable in self._model.variables), *moments]

    def _run(self, chunk: Any, first_step: tf.Tensor, start: tf.Tensor, stop: tf.Tensor) -> tf.Tensor:
        """Train on the steps `start` to `stop - 1` of `chunk`, whose step 0 is step `first_step` of the run.

        Returns:
            The sum of the steps' losses, each over the episodes of all workers.
        """

        def step(i: tf.Tensor, total: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            number = first_step + tf.cast(i, tf.int64)
            with tf.GradientTape() as tape:
                loss = self._objective(chunk, i, number)
            loss, *gradients = self._workers.mean([loss, *tape.gradient(loss, self._variables)])
            self._optimizer.apply(gradients, number)
            return i + 1, total + loss

        loop = tf.while_loop(lambda i, _: i < stop, step, (start, tf.constant(0.0)), parallel_iterations=1)
        return loop[1]

    def _relaxed(self, chunk: Chunk, i: tf.Tensor, number: tf.Tensor) -> tf.Tensor:
        """Give the loss of the relaxed model (eq. 5)."""
        inputs = {"support": chunk.support[i], "query": chunk.query[i]}
        noise = chunk.noise[i] if chunk.noise.shape[-2] else None
        decoded = self._model(inputs, tau=temperature(number, *self._schedule), noise=noise)
        return self._loss(inputs["query"], chunk.labels[i], decoded)
