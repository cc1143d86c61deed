"""Fit the methods that learn by gradient descent, on the parts that the paper's model is trained with."""

import dataclasses
from typing import Any

import numpy as np

from tffs.config import TrainingConfig
from tffs.config.run import PAPER_EPISODE_ROWS
from tffs.data import draws
from tffs.data.episodes import EpisodeGenerator
from tffs.data.tasks import TaskRows
from tffs.evaluation.yardsticks import highest_variance_features, random_features
from tffs.experiments.classifier import FittedClassifier
from tffs.experiments.fitted import FittedModel
from tffs.methods.catalogue import Fixed, Trained
from tffs.models import fixed_model
from tffs.planning.setting import Setting
from tffs.training.chunks import Chunks
from tffs.training.progress import Watch
from tffs.training.trainer import Trainer
from tffs.training.validation import Validator


def train(method: Trained, setting: Setting, progress: Watch, start: FittedModel | None) -> FittedModel:
    """Train a selector and its decoder.

    Args:
        method: what it sees and how it differs from the run.
        setting: the run: data, split and configuration.
        progress: is told of every step.
        start: what it starts from, where it does not start anew.
    """
    config = setting.config
    training = dataclasses.replace(config.training, **method.training)
    model = setting.model(**method.model)
    if start is not None:
        model.set_weights(start.model.get_weights())
    if method.learns == "selector":
        model.decoder.trainable = False
    noise = config.model.num_selected if training.noise == "on" else 0
    if method.rows == "episodes":
        noisy = dataclasses.replace(setting, config=dataclasses.replace(config, training=training))
        chunks = noisy.chunks(noisy=True)
        validator: Validator | None = setting.validator(model)
    else:
        chunks = Chunks(_pooled(setting, _seen(method.rows, setting), True), 1, noise, config.seed)
        validator = _pooled_validator(model, setting)
    if method.keeps == "last":
        validator = None
    return _trained(model, chunks, validator, training, progress, method.rows in ("episodes", "source"))


def train_decoder(method: Fixed, setting: Setting, progress: Watch) -> FittedModel:
    """Train a decoder on features chosen without learning: the concrete autoencoder's, or our classifier."""
    config, tasks = setting.config, setting.tasks
    if method.choice == "all":
        features = np.arange(tasks.num_features)
    elif method.choice == "random":
        features = random_features(tasks.num_features, config.model.num_selected, config.seed)
    else:
        features = highest_variance_features(tasks, setting.split.train, config.model.num_selected)
    model = fixed_model(
        tasks.num_features,
        features.tolist(),
        config.model.decoder_units,
        task_code_dim=config.model.task_code_dim if setting.classes else 0,
        embedding_units=config.model.embedding_units,
        output_activation=config.model.output_activation,
        seed=config.seed,
        num_classes=setting.num_classes,
    )
    model.build()
    if setting.classes:
        chunks, validator = setting.chunks(noisy=False), setting.validator(model)
    else:
        chunks = Chunks(_pooled(setting, _seen("source", setting), True), 1, 0, config.seed)
        validator = _pooled_validator(model, setting)
    return _trained(model, chunks, validator, config.training, progress, True)


def _trained(
    model: Any,
    chunks: Chunks,
    validator: Validator | None,
    training: TrainingConfig,
    progress: Watch,
    any_support: bool,
) -> FittedModel:
    trainer = Trainer(model, chunks, validator, training, None, progress, lambda sentence: None)
    summary = trainer.fit()
    fitted = FittedModel if model.num_classes is None else FittedClassifier
    return fitted(model, summary.train_seconds, summary.best_step, any_support)


def _pooled_validator(model: Any, setting: Setting) -> Validator:
    return Validator(model, _pooled(setting, setting.split.validation.rows, False))


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
