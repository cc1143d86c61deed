"""Train the residual network of a posterior, and decide on left-out tasks whether it earns its place."""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tffs.config import TrainingConfig
from tffs.data.memory import shared_tensor
from tffs.data.tasks import TaskRows
from tffs.layers import ResidualNetwork
from tffs.models import PosteriorSelector
from tffs.posterior.fitting import PosteriorFit
from tffs.posterior.residual_chunks import MOST_SUPPORT, ResidualChunk, ResidualChunks
from tffs.posterior.residual_validator import ResidualValidator
from tffs.posterior.source import Source
from tffs.training.session import Session
from tffs.training.trainer import Trainer, TrainingSummary

BETTER = 0.995  # it is kept if its error is below this share of the closed form's
LEAST_ROWS = 500  # that `auto` trains on
LEAST_FEATURES = 10
LEAST_TASKS = 3
LEAST_QUERY = 8  # query rows that a task must leave beside a support set
LONG = 3000  # steps of a training that is tried first
TRIAL = 6  # with one in so many steps, which show where a whole training is in vain


@dataclasses.dataclass(frozen=True)
class Attempt:
    """How a residual network is to be trained.

    Attributes:
        wanted: `auto`, `on` (wherever it is possible) or `off`.
        training: of which the steps are an upper bound.
        seed: the run's.
        session: how it is watched and kept.
        run: what makes this run another one than others.
    """

    wanted: str
    training: TrainingConfig
    seed: int
    session: Session = dataclasses.field(default_factory=Session)
    run: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def trained(
        self, model: PosteriorSelector, source: Source, steps: int, part: str, validator: Any = None
    ) -> TrainingSummary:
        """Train a model's network for so many steps; `part` tells this training from others of the run."""
        folder = self.session.checkpoints
        session = dataclasses.replace(self.session, checkpoints=folder and os.path.join(folder, part))
        config = dataclasses.replace(self.training, steps=steps, eval_every=max(steps // 12, 1), jit="off")
        run = {**self.run, "steps": steps, "fitted": f"residual network, {part}"}
        chunks = ResidualChunks(model, _rows(source), _large(source), self.seed)
        return Trainer(model, chunks, validator, config, session, run, _Objective(model)).fit()


class Corrected(NamedTuple):
    """A posterior that was given the chance of a residual network.

    Attributes:
        model: with its network if it was kept.
        facts: what was tried, for the result.
        summary: of the training that decided, or None where the network was not kept.
    """

    model: PosteriorSelector
    facts: dict[str, Any]
    summary: TrainingSummary | None


def corrected(fit: PosteriorFit, source: Source, watching: Sequence[int], attempt: Attempt) -> Corrected:
    """Train a residual network, and keep it if it is better than the closed form on tasks that were left out.

    Groups that only watch decide, or else the first group that was left out: then the network is trained again
    on all tasks, for as many steps as were best without that group.

    Args:
        fit: the closed form.
        source: the tasks that it learned from.
        watching: the groups that are not learned from.
        attempt: how the network is trained.
    """
    why = _needless(fit, source, attempt.wanted)
    if why is not None:
        return Corrected(fit.model, {"kept": False, "why": why}, None)
    attempt.session.share("preparing to train", 0.0)
    fold = next((one for one in fit.folds if one.group in watching), fit.folds[0])
    alone = fold.group not in watching
    closed = fold.kitchen.model(fit.recipe) if alone else fit.model
    model = with_network(closed, fold.kitchen.source, attempt.seed)
    validator = ResidualValidator(closed, model, fold.questions)
    steps = min(usual_steps(source.num_features), attempt.training.steps)
    error = validator.measure().loss
    facts = {"kept": False, "why": None, "steps": steps, "error_without": error}
    if attempt.wanted == "auto" and steps >= LONG:
        start = model.get_weights()
        summary = attempt.trained(model, fold.kitchen.source, steps // TRIAL, "trial", validator)
        if summary.validation_loss > BETTER * error:
            facts |= {
                "steps": steps // TRIAL,
                "best_step": summary.best_step,
                "error_with": summary.validation_loss,
            }
            return Corrected(fit.model, {**facts, "why": "a short training did not pay"}, None)
        model.set_weights(start)
    summary = attempt.trained(model, fold.kitchen.source, steps, "left_out", validator)
    facts |= {"best_step": summary.best_step, "error_with": summary.validation_loss}
    if summary.validation_loss > BETTER * error:
        return Corrected(fit.model, {**facts, "why": "it was no better than the closed form"}, None)
    if alone:
        model = trained_again(fit.model, source, summary.best_step, attempt)
    return Corrected(model, {**facts, "kept": True}, summary)


def kept_steps(facts: Mapping[str, Any]) -> int:
    """Give for how many steps a fit's network was trained, by the fit's facts; 0 if it has none."""
    residual = facts.get("residual") or {}
    return int(residual["best_step"]) if residual.get("kept") else 0


def share_left(facts: Mapping[str, Any]) -> float:
    """Give the share of the closed form's error that its network leaves on left-out tasks; 1 without one."""
    residual = facts.get("residual") or {}
    return float(residual["error_with"] / residual["error_without"]) if residual.get("kept") else 1.0


def trained_again(closed: PosteriorSelector, source: Source, steps: int, attempt: Attempt) -> PosteriorSelector:
    """Give a closed form a network that was trained for as many steps as were found to be best elsewhere."""
    model = with_network(closed, source, attempt.seed)
    attempt.trained(model, source, steps, "all")
    return model


def with_network(closed: PosteriorSelector, source: Source, seed: int) -> PosteriorSelector:
    """Give a model of the same parts and a residual network that changes nothing yet."""
    units = int(np.clip(16.0 * np.sqrt(closed.num_features), 64, 256))
    network = ResidualNetwork(closed.num_features, (units, units), seed=seed, name="residual")
    network.build()
    network.learn(closed.prior.mean, np.sqrt(source.row_variance()))
    return closed.corrected_by(network)


def usual_steps(features: int) -> int:
    """Give how many steps a network of so many features takes."""
    return int(np.clip(24 * features, 1500, 6000))


def _needless(fit: PosteriorFit, source: Source, wanted: str) -> str | None:
    """Say why no network is trained, or None if one is."""
    if wanted == "off":
        return "residual=off"
    if not source.dense:
        return "too many features"
    if not fit.folds:
        return "no tasks to decide on"
    large = [_large(one) for one in (source, *(fold.kitchen.source for fold in fit.folds))]
    if any(not len(one.names) for one in large):
        return "too few rows in each task"
    if wanted == "on":
        return None
    if len(large[0].names) < LEAST_TASKS:
        return f"fewer than {LEAST_TASKS} tasks of at least {MOST_SUPPORT + LEAST_QUERY} rows"
    if source.num_features < LEAST_FEATURES:
        return f"fewer than {LEAST_FEATURES} features"
    if len(large[0].rows) < LEAST_ROWS:
        return f"fewer than {LEAST_ROWS} rows"
    return None


def _large(source: Source) -> TaskRows:
    """Give the tasks of a source that have enough rows to train on."""
    tasks = [task for task in source.kept_tasks() if source.tasks.counts[task] >= MOST_SUPPORT + LEAST_QUERY]
    names = tuple(source.tasks.names[task] for task in tasks)
    return TaskRows.from_lists(names, [source.rows_of(task) for task in tasks])


def _rows(source: Source) -> Any:
    return shared_tensor(source.matrix) if isinstance(source.matrix, np.ndarray) else source.matrix


class _Objective:
    """The network's error as a share of what the closed form expects, so that episodes of any K count alike."""

    def __init__(self, model: PosteriorSelector) -> None:
        assert model.residual is not None
        self._network = model.residual
        self._weights = model.weights_of_features.value

    def __call__(self, chunk: ResidualChunk, i: tf.Tensor, number: tf.Tensor) -> tf.Tensor:
        inferred, mean, measured = chunk.inferred[i], chunk.mean[i], chunk.measured[i]
        added = self._network(inferred[None], mean[None], measured[None, None], chunk.kept[i][None])[0]
        squared = tf.math.squared_difference(chunk.rows[i], inferred + added)
        return tf.reduce_mean(tf.reduce_sum(self._weights * squared, axis=-1)) / chunk.error[i]
