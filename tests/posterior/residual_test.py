"""The residual network of a posterior: what it is trained on, and when it is kept."""

import dataclasses
import itertools
import math

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.posterior.small import rows_of_tasks, source_of_tasks
from tffs.config import TrainingConfig
from tffs.models import PosteriorSelector
from tffs.posterior.choosing import counts_for
from tffs.posterior.fitting import fit_posterior
from tffs.posterior.residual import Attempt, corrected, kept_steps, with_network
from tffs.posterior.residual_chunks import MOST_SUPPORT, ResidualChunks
from tffs.posterior.residual_validator import ResidualValidator
from tffs.training.session import Session

FEATURES, TASKS, ROWS = 12, 4, 200


def bent_tasks():
    """Tasks in which half of the features are squares of the others: nothing linear tells them."""
    x = rows_of_tasks(tasks=TASKS, rows=ROWS, features=FEATURES // 2)
    about = x - x.mean(axis=1, keepdims=True)
    return np.concatenate([x, about**2], axis=-1).astype(np.float32)


@pytest.fixture(scope="module")
def fitted():
    source = source_of_tasks(bent_tasks())
    return source, fit_posterior(source, (), "none", 4, 0, components=())


def attempt(wanted="on", steps=300, **others):
    return Attempt(wanted, TrainingConfig(steps=steps), 0, **others)


def chunks_of(source, fit):
    return ResidualChunks(with_network(fit.model, source, 0), source.matrix, source.tasks, 0)


def test_rows_and_measured_features_are_drawn_anew_for_every_episode(fitted):
    support, measured = (np.asarray(one) for one in chunks_of(*fitted).sizes(tf.constant(0, tf.int64), 400))
    assert set(support) == set(range(1, MOST_SUPPORT + 1))
    assert set(measured) == set(range(1, FEATURES // 2 + 1))
    assert np.mean(measured == 1) > 2 * np.mean(measured == FEATURES // 2)  # log-uniform


def test_a_chunk_is_a_function_of_the_seed_and_its_number(fitted):
    drawn = next(chunks_of(*fitted).drawn(3))
    before, again = itertools.islice(chunks_of(*fitted).drawn(2), 2)
    for part, same in zip(drawn, again, strict=True):
        np.testing.assert_array_equal(part, same)
    assert not np.array_equal(drawn.rows, before.rows)
    counts = np.asarray(drawn.measured).sum(axis=-1)
    assert len(set(counts)) > 3


def test_episodes_hold_what_the_closed_form_infers(fitted):
    source, fit = fitted
    chunk = next(chunks_of(source, fit).drawn(0))
    rows, inferred, measured = (np.asarray(part[0]) for part in (chunk.rows, chunk.inferred, chunk.measured))
    np.testing.assert_array_equal(inferred[:, measured], rows[:, measured])
    away = np.square(rows - inferred).sum(axis=-1).mean()
    assert 0.2 < away / float(chunk.error[0]) < 5.0


def test_a_network_that_changes_nothing_has_the_error_of_the_closed_form(fitted):
    _, fit = fitted
    fold = fit.folds[0]
    closed = fold.kitchen.model(fit.recipe)
    validator = ResidualValidator(closed, with_network(closed, fold.kitchen.source, 0), fold.questions)
    asked = fold.questions
    order = np.asarray(closed.rank(asked.support, asked.support_mask).indices)
    shares = []
    for question, (support, rows) in enumerate(zip(asked.support, asked.rows, strict=True)):
        present = asked.rows_mask[question]
        total = np.square(rows - np.asarray(closed.source_mean))[present].sum()
        for count in counts_for(FEATURES):
            values = np.full_like(rows, np.nan)
            values[:, order[question, :count]] = rows[:, order[question, :count]]
            mask = asked.support_mask[question][None]
            mean = np.asarray(closed.infer(support[None], values[None], mask).mean)[0]
            shares.append(np.square(rows - mean)[present].sum() / total)
    assert validator.measure().loss == pytest.approx(math.exp(np.log(shares).mean()), rel=1e-4)


def test_a_network_is_kept_where_it_learns_what_is_not_linear(fitted):
    source, fit = fitted
    found = corrected(fit, source, (), attempt())
    assert found.facts["kept"]
    assert found.facts["error_with"] < 0.995 * found.facts["error_without"]
    assert kept_steps({"residual": found.facts}) == found.facts["best_step"] == found.summary.best_step
    assert found.model.residual is not None
    support, values = source.matrix[None, :4], source.matrix[None, 4:104].copy()
    values[..., 5:] = np.nan
    answers = [np.asarray(model.infer(support, values).mean) for model in (fit.model, found.model)]
    errors = [np.square(answer - source.matrix[None, 4:104]).sum() for answer in answers]
    assert errors[1] < errors[0]
    np.testing.assert_array_equal(answers[1][..., :5], values[..., :5])


def test_a_network_that_is_no_better_is_dropped(fitted):
    source, fit = fitted
    found = corrected(fit, source, (), attempt(steps=1))  # which changes hardly anything
    assert found.model is fit.model
    assert found.summary is None
    assert found.facts["error_with"] > 0.995 * found.facts["error_without"]
    assert kept_steps({"residual": found.facts}) == 0


def test_a_watching_group_decides_and_nothing_is_trained_twice(tmp_path):
    source = dataclasses.replace(source_of_tasks(bent_tasks()), kept=(0, 1, 2))
    fit = fit_posterior(source, (3,), "none", 4, 0, components=())
    found = corrected(fit, source, (3,), attempt(session=Session(checkpoints=str(tmp_path))))
    assert found.facts["kept"]
    assert found.model.prior is fit.model.prior
    assert [path.name for path in tmp_path.iterdir()] == ["left_out"]


def test_what_cannot_pay_is_not_tried_unless_it_is_wanted(fitted):
    source, fit = fitted
    few = source_of_tasks(bent_tasks()[:, :60])
    small = fit_posterior(few, (), "none", 4, 0, components=())
    assert corrected(small, few, (), attempt("auto")).facts == {"kept": False, "why": "fewer than 500 rows"}
    assert corrected(fit, source, (), attempt("off")).facts == {"kept": False, "why": "residual=off"}
    tiny = source_of_tasks(bent_tasks()[:, :10])
    none = fit_posterior(tiny, (), "none", 4, 0, components=())
    assert corrected(none, tiny, (), attempt()).facts["why"] == "too few rows in each task"


def test_training_again_gives_the_same_network(fitted):
    source, fit = fitted
    one, two = (corrected(fit, source, (), attempt(steps=120)).model for _ in range(2))
    for weight, same in zip(one.get_weights(), two.get_weights(), strict=True):
        np.testing.assert_array_equal(weight, same)


def test_a_corrected_model_survives_a_file(fitted, tmp_path):
    source, fit = fitted
    model = corrected(fit, source, (), attempt(steps=120)).model
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert isinstance(loaded, PosteriorSelector)
    values = source.matrix[None, 4:9].copy()
    values[..., 5:] = np.nan
    support = source.matrix[None, :4]
    np.testing.assert_array_equal(loaded.infer(support, values).mean, model.infer(support, values).mean)
