import functools
import math

import numpy as np
import pytest
import tensorflow as tf

from tests.training import parts
from tffs.errors import Interrupted, UserError
from tffs.training import trainer as trainer_module
from tffs.training.validation import Validation


def assert_same_weights(one, other):
    for left, right in zip(parts.weights(one), parts.weights(other), strict=True):
        np.testing.assert_array_equal(left, right)


def test_training_lowers_the_validation_error_and_settles_the_selectors(tmp_path):
    trainer, _model = parts.make_trainer(tmp_path, steps=1500, eval_every=100)
    before = trainer._validator.measure()
    summary = trainer.fit()
    after = trainer._validator.measure()
    assert summary.validation_loss < 0.7 * before.loss
    assert after.confidence > before.confidence + 0.3


def test_the_best_validation_steps_weights_win(tmp_path):
    trainer, model = parts.make_trainer(tmp_path, steps=300, eval_every=30)
    seen = []
    measure = trainer._validator.measure
    trainer._validator.measure = lambda: seen.append((measure(), parts.weights(model))) or seen[-1][0]
    summary = trainer.fit()
    best = min(range(len(seen)), key=lambda i: seen[i][0].loss)
    assert len(seen) == 10
    assert summary.best_step == 30 * (best + 1)
    assert summary.validation_loss == seen[best][0].loss
    for one, other in zip(parts.weights(model), seen[best][1], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """Give a trainer that nothing disturbed, its model and its summary, compiled or not."""

    @functools.cache
    def train(jit):
        trainer, model = parts.make_trainer(tmp_path_factory.mktemp("straight"), jit=jit)
        return trainer, model, trainer.fit()

    return train


@pytest.mark.parametrize("jit", ["on", "off"])
@pytest.mark.parametrize("stop_after", [1, 4])
def test_interrupted_and_resumed_equals_uninterrupted(tmp_path, uninterrupted, jit, stop_after):
    straight, expected, reference = uninterrupted(jit)
    asked = []

    def should_stop():
        asked.append(True)
        return len(asked) == stop_after

    stopped, _ = parts.make_trainer(tmp_path / "resumed", should_stop=should_stop, jit=jit)
    with pytest.raises(Interrupted) as caught:
        stopped.fit()
    assert caught.value.step == 10 * stop_after
    notes = []
    resumed, model = parts.make_trainer(tmp_path / "resumed", notes.append, jit=jit)
    summary = resumed.fit()
    assert notes[0] == f"Resuming at step {10 * stop_after} of 60."
    assert (summary.best_step, summary.validation_loss) == (reference.best_step, reference.validation_loss)
    assert_same_weights(model, expected)
    for one, other in zip(resumed._best_weights, straight._best_weights, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_kill_between_checkpoints_loses_only_time(tmp_path, uninterrupted, monkeypatch):
    _, expected, _ = uninterrupted("off")
    monkeypatch.setattr(trainer_module, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(trainer_module, "SAVE_SHARE", 0)
    killed, _ = parts.make_trainer(tmp_path / "killed")
    run, calls = killed.loop.run, []

    def run_until_killed(*arguments):
        calls.append(arguments)
        if len(calls) == 6:
            raise MemoryError("killed")
        return run(*arguments)

    killed.loop.run = run_until_killed
    with pytest.raises(MemoryError):
        killed.fit()
    resumed, model = parts.make_trainer(tmp_path / "killed")
    resumed.fit()
    assert_same_weights(model, expected)


def test_a_finished_training_trains_nothing(tmp_path):
    trainer, expected = parts.make_trainer(tmp_path)
    reference = trainer.fit()
    again, model = parts.make_trainer(tmp_path)
    again.loop.run = None  # calling it would fail
    assert again.fit() == reference
    assert_same_weights(model, expected)


def test_seconds_add_up_over_resumes(tmp_path):
    stopped, _ = parts.make_trainer(tmp_path, should_stop=lambda: True)
    with pytest.raises(Interrupted):
        stopped.fit()
    before = float(stopped._figures["train"])
    resumed, _ = parts.make_trainer(tmp_path)
    summary = resumed.fit()
    assert summary.train_seconds > before > 0
    assert summary.train_seconds >= summary.compile_seconds + summary.validation_seconds
    assert summary.steps_per_second > 0


def test_rate_is_known_even_for_a_single_chunk(tmp_path):
    trainer, _ = parts.make_trainer(tmp_path, steps=7)
    summary = trainer.fit()
    assert summary.best_step == 7
    assert summary.steps_per_second > 0


def test_a_diverging_loss_stops_with_advice(tmp_path):
    trainer, model = parts.make_trainer(tmp_path)
    model.decoder.dense[0].kernel.assign(tf.fill(model.decoder.dense[0].kernel.shape, math.nan))
    with pytest.raises(UserError, match="training loss became nan by step 10: lower --learning_rate"):
        trainer.fit()


def test_a_validation_that_is_never_finite_is_no_perfect_score(tmp_path):
    trainer, _ = parts.make_trainer(tmp_path)
    trainer._validator.measure = lambda: Validation(math.inf, 1.0, 1.0)
    with pytest.raises(UserError, match="validation MSRE was never a finite number"):
        trainer.fit()


def test_tensorboard_gets_every_figure(tmp_path):
    trainer, _ = parts.make_trainer(tmp_path / "checkpoints", summaries=tmp_path / "tensorboard")
    trainer.fit()
    tags, steps = set(), set()
    for path in (tmp_path / "tensorboard").iterdir():
        for event in tf.compat.v1.train.summary_iterator(str(path)):
            tags |= {value.tag for value in event.summary.value}
            steps.add(event.step)
    assert tags == {"loss", "validation_msre", "tau", "distinct", "max_probability", "steps_per_second"}
    assert {25, 50, 60} <= steps
