"""What a run trains on: the data, the split, and the configuration with everything settled."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tffs.config import RunConfig, default_query_size, settle_jit
from tffs.data import datasets, draws
from tffs.data.episodes import EpisodeGenerator
from tffs.data.splits import Split, choose_tasks, split_tasks
from tffs.data.tasks import Tasks
from tffs.errors import UserError
from tffs.models import FewShotSelector
from tffs.training.chunks import Chunks
from tffs.training.validation import Validator


@dataclasses.dataclass(frozen=True)
class Setting:
    """A run, ready to train.

    Attributes:
        config: the configuration; nothing in it is left to draw or to decide.
        tasks: all rows.
        split: who trains, validates and is tested.
    """

    config: RunConfig
    tasks: Tasks
    split: Split

    @functools.cached_property
    def _rows(self) -> tf.Tensor:
        """All rows as one tensor that every generator shares."""
        with tf.device("CPU:0"):
            return tf.constant(self.tasks.matrix)

    def model(self) -> FewShotSelector:
        """Make the untrained model."""
        config = self.config.model
        model = FewShotSelector(
            num_features=self.tasks.num_features,
            **dataclasses.asdict(config),
            seed=self.config.seed,
        )
        model.build()
        return model

    def chunks(self, noisy: bool) -> Chunks:
        """Draw training steps; `noisy` if the model has Concrete variables to perturb."""
        data, seed = self.config.data, self.config.seed
        assert data.query_size is not None
        episodes = EpisodeGenerator(
            self._rows,
            self.split.train,
            data.support_size,
            data.query_size,
            seed,
            draws.TRAINING_EPISODES,
        )
        noise = self.config.model.num_selected if noisy and self.config.training.noise == "on" else 0
        return Chunks(episodes, data.episodes_per_step, noise, seed)

    def validator(self, model: Any) -> Validator:
        """Measure a model on the run's fixed validation episodes."""
        data = self.config.data
        assert data.query_size is not None
        query_size = min(data.query_size, self.split.validation.room(data.support_size))
        episodes = EpisodeGenerator(
            self._rows,
            self.split.validation,
            data.support_size,
            query_size,
            self.config.seed,
            draws.VALIDATION_EPISODES,
        )
        return Validator(model, episodes)


def settle(config: RunConfig, data_dir: str, say: Callable[[str], None]) -> Setting:
    """Load the data and settle everything that depends on it.

    Args:
        config: the run as the flags give it.
        data_dir: where prepared datasets are kept.
        say: receives one-sentence notes for the person.

    Returns:
        The setting; what cannot be trained raises `UserError`.
    """
    tasks = datasets.load(config.data.dataset, data_dir)
    data, model = config.data, config.model
    if model.num_selected > tasks.num_features:
        raise UserError(
            f"--num_selected={model.num_selected} is more than the {tasks.num_features} features that "
            f"{data.dataset} has: choose at most {tasks.num_features}."
        )
    target, validation_task = choose_tasks(
        tasks.task_names, data.target_task, data.validation_task, data.validation, config.seed
    )
    split = split_tasks(tasks, target, validation_task, data.validation, data.support_size, config.seed)
    wanted = data.query_size or default_query_size(data.support_size)
    query_size = min(wanted, split.train.room(data.support_size))
    if query_size < wanted:
        smallest = split.train.names[int(split.train.counts.argmin())]
        say(
            f"Query sets shrink from {wanted} to {query_size} rows, which is what the smallest training task "
            f"({smallest}, {split.train.counts.min()} rows) leaves."
        )
    room = split.validation.room(data.support_size)
    if room < query_size:
        say(f"Validation query sets shrink from {query_size} to {room} rows, what the smallest task leaves.")
    left_out = len(split.train.names) - len(split.validation.names) if data.validation == "rows" else 0
    if left_out:
        say(f"{left_out} tasks have too few rows to validate on; the others validate.")
    activation = model.output_activation
    if activation == "auto":
        activation = _activation_for(tasks.matrix, np.concatenate([split.train.rows, split.validation.rows]))
    settled = dataclasses.replace(
        config,
        data=dataclasses.replace(
            data, target_task=target or "none", validation_task=validation_task, query_size=query_size
        ),
        model=dataclasses.replace(model, output_activation=activation),
        training=dataclasses.replace(
            config.training, jit=settle_jit(config.training.jit, config.training.steps)
        ),
    )
    return Setting(settled, tasks, split)


def _activation_for(matrix: np.ndarray, rows: np.ndarray) -> str:
    """Choose the output activation from the range of the source rows."""
    source = matrix[rows]
    low, high = source.min(), source.max()
    if low >= 0.0 and high <= 1.0:
        return "sigmoid"
    return "tanh" if low >= -1.0 and high <= 1.0 else "linear"
