"""The trainer: chunks through the inner loop, validation, best weights, checkpoints, resuming."""

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tensorflow as tf

from tffs.config import TrainingConfig
from tffs.errors import Interrupted, UserError
from tffs.training.adam import Adam
from tffs.training.checkpoints import Checkpoints
from tffs.training.chunks import Drawn
from tffs.training.inner_loop import InnerLoop, Objective
from tffs.training.objective import LOSSES
from tffs.training.progress import Status
from tffs.training.schedule import cosine_decay, temperature
from tffs.training.session import Session
from tffs.training.validation import Validation, Validator
from tffs.training.workers import losses_told

# Saving may take up to a twentieth of the time, and happens at most once a second.
SAVE_SHARE, SAVE_SECONDS = 20, 1.0
_MAY_BE_NAN = ("validation_loss", "validation_distinct", "steps_per_second")
_UNKNOWN = Validation(math.nan, math.nan, math.nan)


@dataclasses.dataclass(frozen=True)
class TrainingSummary:
    """What a finished training was, over all its resumes.

    Attributes:
        best_step: the step whose weights the model has: that of the lowest validation loss, or the last one
            where nothing validates.
        validation_loss: its validation loss, which is the MSRE where features are reconstructed; NaN where
            nothing validates.
        validation_distinct: its mean number of distinct features.
        train_seconds: wall time, compilation and validation included.
        steps_per_second: the steady rate: steps after the first chunk by the wall time inside chunks.
        compile_seconds: tracing and compiling the loop.
        validation_seconds: all validations.
    """

    best_step: int
    validation_loss: float
    validation_distinct: float
    train_seconds: float
    steps_per_second: float
    compile_seconds: float
    validation_seconds: float

    @classmethod
    def from_json(cls, figures: dict[str, Any]) -> "TrainingSummary":
        """Build from what training.json holds, where 0.2.0 called the loss `validation_msre`.

        What is missing or no number raises ValueError; None stands for NaN where a figure may be that.
        """
        renamed = {"validation_msre": "validation_loss"}
        named = {renamed.get(name, name): figure for name, figure in figures.items()}
        known: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            if field.name not in named:
                raise ValueError(f"it lacks {field.name}")
            figure = named[field.name]
            if figure is None and field.name in _MAY_BE_NAN:
                figure = math.nan
            elif isinstance(figure, bool) or not isinstance(figure, (int, float)):
                raise ValueError(f"{field.name} must be a number, but is {figure!r}")
            known[field.name] = figure
        return cls(**known)


class Trainer:
    """Trains a model by algorithm 1 and leaves it with its best weights.

    The state is a checkpointed step, weights, moments and figures; all randomness is a function of the seed
    and the step, so a run that was killed and resumed ends bit-identical to one that was not.

    With several workers each makes a trainer of the same model, chunks and configuration. They train on their
    shares of every step's episodes and keep the same weights; the chief alone restores, validates and saves.

    Args:
        model: a built `FewShotSelector`.
        chunks: what the steps are trained on, by all workers together.
        validator: what decides which weights are best; None to keep the last ones.
        config: steps, learning rate, temperatures, validation interval; `jit` must be settled.
        session: how it is watched, stopped, kept and shared.
        run: what makes this run another one than others, by which checkpoints of another run are refused.
        objective: gives the loss of a step where it is not that of the relaxed model. There is no temperature
            then, and the learning rate decays.

    Attributes:
        model: the model.
        loop: runs the steps of a chunk, as `loop.run`.
    """

    def __init__(
        self,
        model: Any,
        chunks: Drawn,
        validator: Validator | None,
        config: TrainingConfig,
        session: Session,
        run: Mapping[str, Any] | None = None,
        objective: Objective | None = None,
    ) -> None:
        workers, directory = session.workers, session.checkpoints
        self.model = model
        self._chunks = chunks.of_worker(workers.index, workers.count)
        self._validator = validator
        self._config = config
        self._session = session
        self._workers = workers
        self._jit = config.jit == "on" and workers.compiled
        weights = [variable.value for variable in model.trainable_variables]
        self._anneals = objective is None
        rate = config.learning_rate
        optimizer = Adam(weights, rate if self._anneals else cosine_decay(rate, config.steps))
        self.loop = InnerLoop(
            model,
            optimizer,
            self._chunks.spec,
            config.steps,
            config.initial_temperature,
            config.final_temperature,
            jit=self._jit,
            loss=config.loss,
            workers=workers,
            objective=objective,
        )
        self._loss_name = LOSSES[config.loss].shown if self._anneals else "error"
        self._weights = weights
        self._optimizer = optimizer
        self._best_weights = [tf.Variable(weight, trainable=False) for weight in weights]
        self._step = tf.Variable(0, trainable=False, dtype=tf.int64)
        self._best_step = tf.Variable(0, trainable=False, dtype=tf.int64)
        # The names are those of the checkpoints of 0.2.0: whatever is minimized is called best_msre.
        names = ("best_msre", "best_distinct", "train", "compile", "validation", "steady", "steady_steps")
        self._figures = {name: tf.Variable(0.0, trainable=False, dtype=tf.float64) for name in names}
        state = {
            "step": self._step,
            "weights": self._weights,
            "optimizer": optimizer,
            "best_weights": self._best_weights,
            "best_step": self._best_step,
            "figures": self._figures,
        }
        self._elsewhere = "" if directory is None else " and use a new --workdir"
        self._checkpoints = None if directory is None else Checkpoints(directory, state, session.say, run or {})
        self._saved_at = 0.0
        self._save_cost = 0.0
        self._paused = 0.0
        self._latest = _UNKNOWN
        self._loss = math.nan
        self._first_chunk = (0, 0.0)
        self._timed_from: tuple[int, float] | None = None

    def fit(self) -> TrainingSummary:
        """Train what is left to train, or nothing if all steps are done.

        Returns:
            What it was. If another worker is lost meanwhile, this raises `WorkerLost`: the process has to join
            the others anew, and goes on from the chief's last checkpoint.
        """
        for _ in self.chunk_by_chunk():
            pass
        return self.summary()

    def chunk_by_chunk(self) -> Iterator[None]:
        """Train like `fit`, and pause after every chunk, so that several trainings can take turns."""
        with losses_told(self._workers, lambda: int(self._step)):
            yield from self._fit()

    def _fit(self) -> Iterator[None]:
        started = time.perf_counter()
        if self._checkpoints is not None:
            self._checkpoints.restore()
        self._workers.copy_from_chief(self._variables())
        if int(self._step) > 0:
            self._session.say(f"Resuming at step {int(self._step)} of {self._config.steps}.")
        already = float(self._figures["train"])

        def stop_clock() -> None:
            self._figures["train"].assign(already + time.perf_counter() - started - self._paused)

        if int(self._step) < self._config.steps:
            try:
                yield from self._train(stop_clock)
            finally:
                self._session.progress.end()
            self._save(int(self._step), stop_clock)
        if int(self._best_step) == 0:
            raise UserError(
                f"The validation {self._loss_name} was never a finite number, so there are no best weights: "
                f"lower --learning_rate (it is {self._config.learning_rate}){self._elsewhere}."
            )
        for weight, best in zip(self._weights, self._best_weights, strict=True):
            weight.assign(best)

    def _train(self, stop_clock: Callable[[], None]) -> Iterator[None]:
        length, steps, every = self._chunks.length, self._config.steps, self._config.eval_every
        step = int(self._step)
        first_chunk = step // length
        summaries = self._session.summaries
        writer = None if summaries is None else tf.summary.create_file_writer(summaries)
        self._session.share("preparing to train", 0.0)
        iterator = self._chunks.drawn(first_chunk)
        began = time.perf_counter()
        chunk = next(iterator)
        drawn = time.perf_counter() - began
        self._compile(chunk)
        self._saved_at = time.perf_counter()
        for number in range(first_chunk, -(-steps // length)):
            began = time.perf_counter()
            if number > first_chunk:
                chunk = next(iterator)
                drawn = time.perf_counter() - began
            base, spent, done = number * length, drawn, 0
            while step < min(base + length, steps):
                stop = min(base + length, steps, (step // every + 1) * every)
                began = time.perf_counter()
                total = float(self.loop.run(chunk, base, step - base, stop - base))
                spent += time.perf_counter() - began
                self._loss = total / (stop - step)
                done += stop - step
                step = stop
                self._step.assign(step)
                if not math.isfinite(self._loss):
                    raise UserError(
                        f"The training loss became {self._loss} by step {step}: lower --learning_rate "
                        f"(it is {self._config.learning_rate}){self._elsewhere}."
                    )
                if step % every == 0 or step == steps:
                    self._validate(step, writer)
                self._show(step)
            self._count(done, spent, first=number == first_chunk)
            if number == first_chunk:  # which took longer than any other will
                self._timed_from = (step, time.perf_counter())
            if step < steps and self._workers.any(self._session.should_stop()):
                self._save(step, stop_clock)
                self._show(step, final=True)
                raise Interrupted(step)
            if time.perf_counter() - self._saved_at > max(SAVE_SECONDS, SAVE_SHARE * self._save_cost):
                began = time.perf_counter()
                self._save(step, stop_clock)
                self._saved_at = time.perf_counter()
                self._save_cost = self._saved_at - began
            began = time.perf_counter()
            yield
            self._paused += time.perf_counter() - began
        if float(self._figures["steady_steps"]) == 0:
            self._figures["steady_steps"].assign(self._first_chunk[0])
            self._figures["steady"].assign(self._first_chunk[1])
        self._show(step, final=True)

    def _variables(self) -> list[tf.Variable]:
        """List all that a checkpoint holds."""
        moments = [*self._optimizer.first_moments, *self._optimizer.second_moments]
        return [
            *(self._step, self._best_step, *self._weights, *self._best_weights, *moments),
            *self._figures.values(),
        ]

    def _save(self, step: int, stop_clock: Callable[[], None]) -> None:
        stop_clock()
        if self._checkpoints is not None:
            self._checkpoints.save(step)

    def _compile(self, chunk: Any) -> None:
        """Trace and compile the loop by running no step of it."""
        began = time.perf_counter()
        if self._jit:
            self._session.say("Compiling the training loop (a few seconds)...")
        self.loop.run(chunk, 0, 0, 0)
        self._figures["compile"].assign_add(time.perf_counter() - began)

    def _count(self, steps: int, seconds: float, first: bool) -> None:
        """Count a chunk into the steady rate; the first one counts only if it stays the only one."""
        if first:
            self._first_chunk = (steps, seconds)
            return
        self._figures["steady_steps"].assign_add(steps)
        self._figures["steady"].assign_add(seconds)

    def _rate(self) -> float:
        steps, seconds = float(self._figures["steady_steps"]), float(self._figures["steady"])
        if steps == 0:
            steps, seconds = self._first_chunk
        return steps / seconds if seconds > 0 else math.nan

    def _validate(self, step: int, writer: Any) -> None:
        began = time.perf_counter()
        if self._validator is None:
            best = step == self._config.steps
        else:
            measured = self._validator.measure() if self._workers.index == 0 else _UNKNOWN
            self._latest = Validation(*self._workers.from_chief(measured))
            best = int(self._best_step) == 0 or self._latest.loss < float(self._figures["best_msre"])
            best = best and math.isfinite(self._latest.loss)
        if best:
            self._best_step.assign(step)
            self._figures["best_msre"].assign(self._latest.loss)
            self._figures["best_distinct"].assign(self._latest.distinct)
            for kept, weight in zip(self._best_weights, self._weights, strict=True):
                kept.assign(weight)
        self._figures["validation"].assign_add(time.perf_counter() - began)
        if writer is not None:
            with writer.as_default(step=step):
                tf.summary.scalar("loss", self._loss)
                tf.summary.scalar(f"validation_{self._loss_name.lower()}", self._latest.loss)
                tf.summary.scalar("tau", self._tau(step))
                tf.summary.scalar("distinct", self._latest.distinct)
                tf.summary.scalar("max_probability", self._latest.confidence)
                tf.summary.scalar("steps_per_second", self._rate())

    def _tau(self, step: int) -> float:
        if not self._anneals:
            return math.nan
        config = self._config
        return float(temperature(step, config.steps, config.initial_temperature, config.final_temperature))

    def _seconds_left(self, step: int) -> float:
        """Give the wall time that is left, validations and saving included; NaN before it can be known."""
        if self._timed_from is None or step == self._timed_from[0]:
            return math.nan
        first, began = self._timed_from
        return (time.perf_counter() - began) / (step - first) * (self._config.steps - step)

    def _show(self, step: int, final: bool = False) -> None:
        self._session.progress.update(
            Status(
                step,
                self._config.steps,
                self._loss,
                self._latest.loss,
                self._tau(step),
                self._latest.distinct,
                self.model.num_selected,
                self._latest.confidence,
                self._rate() if self._timed_from is not None else math.nan,
                self._seconds_left(step),
                self._loss_name,
            ),
            final,
        )

    def summary(self) -> TrainingSummary:
        """Say what the training was, once it has ended."""
        figures = {name: float(variable) for name, variable in self._figures.items()}
        return TrainingSummary(
            best_step=int(self._best_step),
            validation_loss=figures["best_msre"],
            validation_distinct=figures["best_distinct"],
            train_seconds=figures["train"],
            steps_per_second=self._rate(),
            compile_seconds=figures["compile"],
            validation_seconds=figures["validation"],
        )
