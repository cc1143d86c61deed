"""Fit the methods that learn by gradient descent, on the parts that the paper's model is trained with."""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tffs.config import TrainingConfig
from tffs.config.run import PAPER_EPISODE_ROWS
from tffs.data import draws
from tffs.data.episodes import EpisodeGenerator
from tffs.data.tasks import TaskRows
from tffs.methods.catalogue import Fixed, Trained, baseline
from tffs.methods.fit_record import FitRecord
from tffs.methods.fitted import Fitted, FittedModel
from tffs.methods.posterior import FittedPosterior
from tffs.models import ConcretePosterior, FewShotSelector, concrete_model, fixed_model
from tffs.planning.setting import Setting
from tffs.training.chunks import Chunks, Drawn
from tffs.training.in_turns import drawn_once, train_in_turns
from tffs.training.session import Session
from tffs.training.trainer import Trainer, TrainingSummary
from tffs.training.validation import Validator


def concrete_of(setting: Setting, **changes: Any) -> FewShotSelector:
    """Make the paper's model for a run, untrained, with `changes` to its arguments."""
    arguments = {
        "num_features": setting.tasks.num_features,
        **dataclasses.asdict(setting.config.model),
        "seed": setting.config.seed,
        "num_classes": setting.num_classes,
    }
    model = concrete_model(**{**arguments, **changes})
    model.build()
    return model


def restored(model: Any, record: FitRecord) -> FittedModel:
    """Give a model that was trained before."""
    if record.summary is None:
        raise ValueError("best_step must be a number, but is None")
    return FittedModel(model, record.summary)


def train(method: Trained, setting: Setting, session: Session, start: Fitted | None) -> FittedModel:
    """Train a selector and its decoder.

    Args:
        method: what it sees and how it differs from the run.
        setting: the run: data, split and configuration.
        session: how the training is watched and kept.
        start: what it starts from, where it does not start anew.
    """
    parts = _parts(method, setting, start)
    return _fitted(method, parts.model, _trainer(parts, parts.chunks, setting, session).fit())


def train_together(
    method: Trained, settings: Sequence[Setting], session: Session
) -> list[FittedModel | Exception]:
    """Train for several runs in turns.

    Args:
        method: what it sees and how it differs from the runs.
        settings: the runs.
        session: how the trainings are watched; they keep no checkpoints.

    Returns:
        For each run what `train` gives, or what it raises.
    """
    trainers = trainers_in_turns(method, settings, session)
    return [
        outcome if isinstance(outcome, Exception) else _fitted(method, trainer.model, outcome)
        for trainer, outcome in zip(trainers, train_in_turns(trainers), strict=True)
    ]


def trainers_in_turns(method: Trained, settings: Sequence[Setting], session: Session) -> list[Trainer]:
    """Give the trainers of runs that are to take turns; they draw once what is the same in all."""
    prepared = [_parts(method, setting, None) for setting in settings]
    drawn = drawn_once([parts.chunks for parts in prepared])
    return [
        _trainer(parts, chunks, setting, session)
        for parts, chunks, setting in zip(prepared, drawn, settings, strict=True)
    ]


def train_through_posterior(setting: Setting, session: Session, start: Fitted | None) -> FittedModel:
    """Train the paper's selectors with a fitted posterior as their decoder.

    Args:
        setting: the run: data, split and configuration.
        session: how the training is watched and kept.
        start: the fitted posterior.
    """
    assert isinstance(start, FittedPosterior)
    selector = concrete_of(setting, selection="unique").selector
    model = ConcretePosterior(selector, start.model)
    model.build()
    noise = setting.config.model.num_selected if setting.config.training.noise == "on" else 0
    chunks, validator = setting.chunks(noise), setting.validator(model)
    run = {**setting.config.identity(), "fitted": session.fitted}
    return FittedModel(model, Trainer(model, chunks, validator, setting.config.training, session, run).fit())


def train_decoder(method: Fixed, setting: Setting, session: Session) -> FittedModel:
    """Train a decoder on features that were chosen without learning."""
    config, tasks = setting.config, setting.tasks
    features = baseline(method.baseline)(tasks, setting.split.train, config.model.num_selected, config.seed)
    model = fixed_model(
        tasks.num_features,
        features.tolist(),
        config.model.decoder_units,
        task_code_dim=config.model.task_code_dim if method.rows == "episodes" else 0,
        embedding_units=config.model.embedding_units,
        output_activation=config.model.output_activation,
        seed=config.seed,
        num_classes=setting.num_classes,
    )
    model.build()
    parts = _Parts(model, *_rows(method.rows, setting, model, noise=0), config.training)
    return _fitted(method, model, _trainer(parts, parts.chunks, setting, session).fit())


class _Parts(NamedTuple):
    """What a training is made of; `program` names its compiled loop, or is empty if no other has the same."""

    model: FewShotSelector
    chunks: Chunks
    validator: Validator | None
    training: TrainingConfig
    program: str = ""


def _parts(method: Trained, setting: Setting, start: Fitted | None) -> _Parts:
    config = setting.config
    training = dataclasses.replace(config.training, **method.training)
    model = concrete_of(setting, **method.model)
    if start is not None:
        assert isinstance(start, FittedModel)
        model.set_weights(start.model.get_weights())
    if method.learns == "selector":
        model.decoder.trainable = False
    noise = config.model.num_selected if training.noise == "on" else 0
    chunks, validator = _rows(method.rows, setting, model, noise)
    sizes = (setting.tasks.num_features, config.model, setting.num_classes, chunks.spec)
    program = repr((method, training, *sizes))  # all but rows, weights and draws
    return _Parts(model, chunks, None if method.keeps == "last" else validator, training, program)


def _trainer(parts: _Parts, chunks: Drawn, setting: Setting, session: Session) -> Trainer:
    run = {**setting.config.identity(), "fitted": session.fitted}
    trainer = Trainer(parts.model, chunks, parts.validator, parts.training, session, run)
    if session.programs is not None and parts.program:
        trainer.loop.run = session.programs.run(parts.program, trainer.loop.run, trainer.loop.state)
    return trainer


def _fitted(method: Trained | Fixed, model: FewShotSelector, summary: TrainingSummary) -> FittedModel:
    return FittedModel(model, summary, any_support=method.rows in ("episodes", "source"))


def _rows(rows: str, setting: Setting, model: Any, noise: int) -> tuple[Chunks, Validator | None]:
    """Give what training steps and validations are made of."""
    if rows == "episodes":
        return setting.chunks(noise), setting.validator(model)
    chunks = Chunks(_pooled(setting, _seen(rows, setting), True), 1, noise, setting.config.seed)
    return chunks, Validator(model, _pooled(setting, setting.split.validation.rows, False))


def _seen(rows: str, setting: Setting) -> np.ndarray:
    """Give the row numbers that a method trains on."""
    split = setting.split
    parts = {"source": [split.train.rows], "support": [split.target_support]}
    return np.concatenate(parts.get(rows) or [split.train.rows, split.target_support])


def _pooled(setting: Setting, rows: np.ndarray, training: bool) -> EpisodeGenerator:
    """Draw the paper's 64 rows a step, or all there are, from rows of any task; there is no support set."""
    pool = TaskRows.from_lists(("pooled",), [rows])
    stream = draws.TRAINING_EPISODES if training else draws.VALIDATION_EPISODES
    count = min(PAPER_EPISODE_ROWS, len(rows))
    return EpisodeGenerator(setting.rows, pool, 0, count, setting.config.seed, stream)
