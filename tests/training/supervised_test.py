"""The same training with labels to predict."""

import io

import numpy as np
import pytest
import tensorflow as tf

from tests.layers import oracles
from tests.training import parts
from tffs.data import draws
from tffs.errors import Interrupted, UserError
from tffs.training.adam import Adam
from tffs.training.inner_loop import InnerLoop
from tffs.training.objective import cross_entropy
from tffs.training.progress import Progress
from tffs.training.validation import EPISODES, Validation, Validator


def supervised(directory, **changes):
    return parts.make_trainer(directory, loss="cross_entropy", **changes)


@pytest.mark.parametrize("jit", [True, False])
def test_a_step_trains_on_the_labels_of_its_own_episode(jit):
    model, chunks = parts.make_model(num_classes=parts.CLASSES), parts.make_chunks(labelled=True)
    chunk = chunks.draw(tf.constant(0, tf.int64))
    z = oracles.concrete(np.asarray(model.selector(chunk.support[7])), 1.0, chunk.noise[7].numpy())
    u = np.einsum("trm,tkm->trk", chunk.query[7], z).astype(np.float32)
    expected = cross_entropy(chunk.labels[7], model.decoder(u, chunk.support[7]))
    optimizer = Adam([variable.value for variable in model.trainable_variables], 0.01)
    loop = InnerLoop(model, optimizer, chunks.spec, 60, 1.0, 1.0, jit, "cross_entropy")
    before = parts.weights(model)
    np.testing.assert_allclose(loop.run(chunk, 0, 7, 8), expected, rtol=1e-4)
    # The gradient reaches the selector, too, through the relaxed choice.
    moved = [(one != other).any() for one, other in zip(before, parts.weights(model), strict=True)]
    assert all(moved)


def test_training_lowers_the_loss_and_takes_features_that_decide_the_label(tmp_path):
    trainer, model = supervised(tmp_path, steps=1500, eval_every=100)
    before = trainer._validator.measure()
    summary = trainer.fit()
    assert summary.validation_loss < 0.6 * before.loss
    assert trainer._validator.accuracy() > 50.0  # of four classes
    support, _ = parts.episodes().episodes(tf.constant(0, tf.int64), 5)
    assert set(np.asarray(model.select(support)).ravel()) <= {0, 1, 5, 6}  # the two, and what repeats them


def test_validation_is_the_cross_entropy_of_the_hard_selection():
    model = parts.make_model(num_classes=parts.CLASSES)
    episodes = parts.episodes(draws.VALIDATION_EPISODES, labelled=True)
    support, query, labels = (
        part.numpy() for part in episodes.labelled_episodes(tf.constant(0, tf.int64), EPISODES)
    )
    losses, right = [], []
    for task in range(EPISODES):
        chosen = np.asarray(model.select(support[task : task + 1]))[0]
        logits = np.asarray(model.decode(support[task : task + 1], query[task : task + 1][:, :, chosen]))
        losses.append(float(cross_entropy(labels[task : task + 1], logits)))
        right.append(logits[0].argmax(-1) == labels[task])
    validator = Validator(model, episodes, "cross_entropy")
    np.testing.assert_allclose(validator.measure().loss, np.mean(losses), rtol=1e-4)
    np.testing.assert_allclose(validator.accuracy(), 100 * np.mean(right), rtol=1e-5)


@pytest.mark.parametrize("stop_after", [1, 4])
def test_interrupted_and_resumed_equals_uninterrupted(tmp_path, stop_after):
    straight, expected = supervised(tmp_path / "straight")
    reference = straight.fit()
    asked = []

    def should_stop():
        asked.append(True)
        return len(asked) == stop_after

    stopped, _ = supervised(tmp_path / "resumed", should_stop=should_stop)
    with pytest.raises(Interrupted):
        stopped.fit()
    resumed, model = supervised(tmp_path / "resumed")
    summary = resumed.fit()
    assert (summary.best_step, summary.validation_loss) == (reference.best_step, reference.validation_loss)
    for one, other in zip(parts.weights(model), parts.weights(expected), strict=True):
        np.testing.assert_array_equal(one, other)


def test_nothing_calls_a_cross_entropy_an_msre(tmp_path):
    stream = io.StringIO()
    trainer, _ = supervised(
        tmp_path / "checkpoints", watch=Progress(stream), summaries=tmp_path / "tensorboard"
    )
    trainer.fit()
    tags = {
        value.tag
        for path in (tmp_path / "tensorboard").iterdir()
        for event in tf.compat.v1.train.summary_iterator(str(path))
        for value in event.summary.value
    }
    assert tags == {"loss", "validation_loss", "tau", "distinct", "max_probability", "steps_per_second"}
    assert "validation loss" in stream.getvalue()
    assert "MSRE" not in stream.getvalue()
    failing, _ = supervised(tmp_path / "failing")
    failing._validator.measure = lambda: Validation(np.nan, 1.0, 1.0)
    with pytest.raises(UserError, match="validation loss was never a finite number"):
        failing.fit()
