import numpy as np
import tensorflow as tf

from tests.training import parts
from tffs.data import draws
from tffs.training.validation import EPISODES, Validator


def test_validation_uses_the_hard_selection_on_fixed_episodes():
    model = parts.make_model()
    episodes = parts.episodes(draws.VALIDATION_EPISODES)
    support, query = (part.numpy() for part in episodes.episodes(tf.constant(0, tf.int64), EPISODES))
    errors, distinct = [], []
    for task in range(EPISODES):
        chosen = np.asarray(model.select(support[task : task + 1]))[0]
        rebuilt = np.asarray(model.reconstruct(support[task : task + 1], query[task : task + 1][:, :, chosen]))
        errors.append(((query[task] - rebuilt[0]) ** 2).sum(-1).mean())
        distinct.append(len(set(chosen)))
    validator = Validator(model, episodes)
    measured = validator.measure()
    np.testing.assert_allclose(measured.loss, np.mean(errors), rtol=1e-4)
    np.testing.assert_allclose(measured.distinct, np.mean(distinct), rtol=1e-5)
    assert validator.measure() == measured


def test_validation_changes_no_weight():
    model = parts.make_model()
    before = parts.weights(model)
    Validator(model, parts.episodes(draws.VALIDATION_EPISODES)).measure()
    for one, other in zip(before, parts.weights(model), strict=True):
        np.testing.assert_array_equal(one, other)
