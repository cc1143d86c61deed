"""A tiny training, assembled from the real parts."""

import io

import numpy as np

from tffs.config import TrainingConfig
from tffs.data import draws
from tffs.data.episodes import EpisodeGenerator
from tffs.data.tasks import TaskRows
from tffs.models import concrete_model
from tffs.training.chunks import Chunks
from tffs.training.progress import Progress
from tffs.training.session import Session
from tffs.training.trainer import Trainer
from tffs.training.validation import Validator
from tffs.training.workers import ALONE

FEATURES, K, CLASSES = 8, 3, 4


def config(**changes):
    values = {
        "steps": 60,
        "learning_rate": 0.01,
        "initial_temperature": 10.0,
        "final_temperature": 0.01,
        "noise": "on",
        "eval_every": 25,
        "jit": "off",
    }
    return TrainingConfig(**{**values, **changes})


def episodes(stream=draws.TRAINING_EPISODES, seed=0, labelled=False):
    """Three tasks in which feature i + 4 repeats feature i, with other offsets in each task.

    Features 0 and 1 decide the label.
    """
    rng = np.random.default_rng(4)
    half = rng.random((90, FEATURES // 2))
    matrix = np.concatenate([half, np.roll(half, 1, axis=1)], axis=1).astype(np.float32)
    rows = TaskRows.from_lists(("a", "b", "c"), [np.arange(0, 30), np.arange(30, 60), np.arange(60, 90)])
    labels = 2 * (matrix[:, 0] > 0.5) + (matrix[:, 1] > 0.5)
    return EpisodeGenerator(matrix, rows, 2, 10, seed, stream, labels if labelled else None)


def make_model(seed=0, num_classes=None):
    model = concrete_model(FEATURES, K, 6, 5, (7,), seed=seed, num_classes=num_classes)
    model.build()
    return model


def make_chunks(noise=True, per_step=1, length=10, labelled=False):
    chunks = Chunks(episodes(labelled=labelled), per_step, K if noise else 0, seed=0)
    chunks.length = length  # short, so that a training has many
    return chunks


def make_trainer(
    directory,
    say=lambda sentence: None,
    should_stop=lambda: False,
    per_step=1,
    workers=ALONE,
    watch=None,
    summaries=None,
    **changes,
):
    training = config(**changes)
    labelled = training.loss == "cross_entropy"
    model = make_model(num_classes=CLASSES if labelled else None)
    trainer = Trainer(
        model,
        make_chunks(per_step=per_step, labelled=labelled),
        Validator(model, episodes(draws.VALIDATION_EPISODES, labelled=labelled), training.loss),
        training,
        Session(
            watch or Progress(io.StringIO()),
            say,
            should_stop,
            directory and str(directory),
            summaries and str(summaries),
            workers,
        ),
    )
    return trainer, model


def weights(model):
    return [variable.numpy().copy() for variable in model.trainable_variables]
