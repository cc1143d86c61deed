"""Trainings that take turns, beside the same trainings alone."""

import itertools
import math
import time
import types

import numpy as np
import pytest
import tensorflow as tf

from tests.training import parts
from tffs.data import draws
from tffs.data.episodes import EpisodeGenerator
from tffs.data.tasks import TaskRows
from tffs.errors import UserError
from tffs.training import trainer as trainer_module
from tffs.training.chunks import Chunks
from tffs.training.in_turns import drawn_once, train_in_turns
from tffs.training.session import Session
from tffs.training.trainer import Trainer
from tffs.training.validation import Validator

ROWS = 12  # of an episode


def generator(support_size, tasks=(0, 30, 60, 90), seed=0, stream=draws.TRAINING_EPISODES):
    matrix = np.random.default_rng(4).random((90, parts.FEATURES), dtype=np.float32)
    rows = [np.arange(start, stop) for start, stop in itertools.pairwise(tasks)]
    names = tuple(map(str, range(len(rows))))
    return EpisodeGenerator(
        matrix, TaskRows.from_lists(names, rows), support_size, ROWS - support_size, seed, stream
    )


def make_chunks(support_size, seed=0, tasks=(0, 30, 60, 90)):
    chunks = Chunks(generator(support_size, tasks, seed), 1, parts.K, seed)
    chunks.length = 10
    return chunks


def make_trainer(chunks, support_size, **changes):
    model = parts.make_model()
    validator = Validator(model, generator(support_size, stream=draws.VALIDATION_EPISODES))
    return model, Trainer(model, chunks, validator, parts.config(**changes), Session())


@pytest.mark.parametrize("jit", ["on", "off"])
def test_weights_are_those_of_trainings_alone_bit_for_bit(jit):
    sizes = (2, 5)
    drawn = drawn_once([make_chunks(size) for size in sizes])
    models, trainers = zip(
        *(make_trainer(chunks, size, jit=jit) for chunks, size in zip(drawn, sizes, strict=True)), strict=True
    )
    outcomes = train_in_turns(trainers)
    for size, model, outcome in zip(sizes, models, outcomes, strict=True):
        expected, alone = make_trainer(make_chunks(size), size, jit=jit)
        summary = alone.fit()
        assert (outcome.best_step, outcome.validation_loss) == (summary.best_step, summary.validation_loss)
        for one, other in zip(parts.weights(model), parts.weights(expected), strict=True):
            np.testing.assert_array_equal(one, other)
    assert len({outcome.validation_loss for outcome in outcomes}) == len(sizes)


@pytest.mark.parametrize(
    "others",
    [
        {"tasks": (0, 45, 90)},  # other rows, the same noise
        {"seed": 1},  # nothing in common
    ],
)
def test_what_differs_is_drawn_apart(others):
    chunks = [make_chunks(2), make_chunks(4, **others), make_chunks(6)]
    iterators = [each.drawn(0) for each in drawn_once(chunks)]
    for number in range(3):
        for each, iterator in zip(chunks, iterators, strict=True):
            expected = each.draw(tf.constant(number, tf.int64))
            for part, other in zip(next(iterator), expected, strict=True):
                np.testing.assert_array_equal(part, other)


def test_noise_and_rows_are_drawn_once_for_all():
    asked = []

    class Counted(Chunks):
        def rows(self, chunk):
            asked.append("rows")
            return super().rows(chunk)

        def noise(self, chunk):
            asked.append("noise")
            return super().noise(chunk)

    for one in drawn_once([Counted(generator(size), 1, parts.K, 0) for size in (2, 4, 6)]):
        next(one.drawn(0))
    assert sorted(asked) == ["noise", "rows"]  # in the one trace of the stream


def test_a_training_that_fails_leaves_the_others_alone():
    sizes = (2, 4)
    drawn = drawn_once([make_chunks(size) for size in sizes])
    (broken, one), (model, other) = (make_trainer(each, size) for each, size in zip(drawn, sizes, strict=True))
    broken.decoder.dense[0].kernel.assign(tf.fill(broken.decoder.dense[0].kernel.shape, math.nan))
    failed, _ = train_in_turns([one, other])
    assert isinstance(failed, UserError)
    assert "training loss became nan by step 10" in str(failed)
    expected, alone = make_trainer(make_chunks(4), 4)
    alone.fit()
    for mine, theirs in zip(parts.weights(model), parts.weights(expected), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_the_seconds_in_which_a_training_waits_are_not_its_own(monkeypatch):
    waited = 0.0
    clock = types.SimpleNamespace(perf_counter=lambda: time.perf_counter() + waited)
    monkeypatch.setattr(trainer_module, "time", clock)
    _, trainer = make_trainer(make_chunks(2), 2)
    for _ in trainer.chunk_by_chunk():
        waited += 1e6
    assert 0 < trainer.summary().train_seconds < 1e6
