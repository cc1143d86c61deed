import dataclasses
import types

import numpy as np
import pytest

from tffs.data import batches
from tffs.data.splits import split_tasks
from tffs.data.tasks import Tasks
from tffs.evaluation.clustering import cluster_quality
from tffs.evaluation.figures import METRICS
from tffs.evaluation.target import chance, evaluate_on_target
from tffs.methods.fitted import FittedModel
from tffs.models import fixed_model
from tffs.training.trainer import TrainingSummary

MEAN = np.array([0.5, 0.4, 0.5, 0.6, 0.5], np.float32)


def setting(rng, labels=True):
    matrix = rng.random((60, 5), dtype=np.float32)
    tasks = Tasks(
        matrix,
        ("a", "b", "c", "d", "e"),
        ("one", "two", "three"),
        np.array([0, 20, 40, 60]),
        np.arange(60) % 3 if labels else None,
    )
    return tasks, split_tasks(tasks, "two", "three", "task", 4, seed=0)


def make_model(num_classes=None):
    model = fixed_model(5, (3, 1, 3), decoder_units=(4,), seed=0, num_classes=num_classes)
    model.build()
    return model


def measured(model, tasks, split):
    fitted = FittedModel(model, TrainingSummary(1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    run = types.SimpleNamespace(
        tasks=tasks, split=split, source_mean=MEAN, config=types.SimpleNamespace(seed=0)
    )
    return fitted, evaluate_on_target(fitted, run, 3)[1]


def test_figures_are_those_of_the_target_rows_outside_the_support(rng):
    tasks, split = setting(rng)
    model = make_model()
    _, figures = measured(model, tasks, split)
    rows, support = tasks.matrix[split.target_test], tasks.matrix[split.target_support]
    rebuilt = np.asarray(model.reconstruct(support[None], rows[None][:, :, [3, 1, 3]]))[0]
    np.testing.assert_allclose(figures.msre, ((rows - rebuilt) ** 2).sum(1).mean(), rtol=1e-5)
    np.testing.assert_allclose(figures.relative_error, figures.msre / ((rows - MEAN) ** 2).sum(1).mean())
    assert figures.selected == (3, 1, 3)
    assert figures.distinct == 2
    expected = cluster_quality(rows[:, [1, 3]], tasks.labels[split.target_test], 3, seed=0)
    assert (figures.ari, figures.nmi) == expected
    assert figures.accuracy is None
    others = [0, 2, 4]
    unmeasured = ((rows[:, others] - rebuilt[:, others]) ** 2).sum(1).mean()
    np.testing.assert_allclose(figures.msre_unmeasured, unmeasured, rtol=1e-5)
    assert figures.msre_unmeasured < figures.msre


def test_accuracy_is_the_share_of_target_rows_whose_label_is_the_likeliest_class(rng, monkeypatch):
    tasks, split = setting(rng)
    model = make_model(num_classes=3)
    fitted, figures = measured(model, tasks, split)
    rows, support = tasks.matrix[split.target_test], tasks.matrix[split.target_support]
    logits = np.asarray(model.decode(support[None], rows[None][:, :, [3, 1, 3]]))[0]
    right = logits.argmax(-1) == tasks.labels[split.target_test]
    np.testing.assert_allclose(figures.accuracy, 100 * right.mean())
    assert figures.msre is figures.relative_error is None
    assert figures.ari is not None
    monkeypatch.setattr(batches, "BATCH_ROWS", 7)
    predicted = fitted.answer(support, rows, np.array([3, 1, 3]))
    np.testing.assert_array_equal(predicted, logits.argmax(-1))


def test_chance_is_the_source_tasks_commonest_class():
    labels = np.array([0, 1, 1, 2, 2, 2, 1, 2])
    assert chance(labels, source=np.array([0, 1, 2, 3]), rows=np.array([4, 5, 6, 7])) == 25.0


def test_without_labels_there_is_no_clustering_figure(rng):
    tasks, split = setting(rng, labels=False)
    _, figures = measured(make_model(), tasks, split)
    assert figures.ari is None
    assert figures.nmi is None


def test_long_tasks_are_reconstructed_in_batches(rng, monkeypatch):
    tasks, split = setting(rng)
    fitted, _ = measured(make_model(), tasks, split)
    arguments = (tasks.matrix[split.target_support], tasks.matrix, np.array([3, 1, 3]))
    whole = fitted.answer(*arguments)
    monkeypatch.setattr(batches, "BATCH_ROWS", 7)
    np.testing.assert_allclose(fitted.answer(*arguments), whole, rtol=1e-5)


def test_figures_of_a_long_task_are_gathered_from_batches(rng, monkeypatch):
    tasks, split = setting(rng)
    for classes in (None, 3):
        model = make_model(num_classes=classes)
        _, whole = measured(model, tasks, split)
        with monkeypatch.context() as patch:
            patch.setattr(batches, "BATCH_BYTES", 5 * 4 * 3)
            _, parts = measured(model, tasks, split)
        for name, figure in dataclasses.asdict(whole).items():
            expected = pytest.approx(figure, rel=1e-5) if isinstance(figure, float) else figure
            assert getattr(parts, name) == expected


def test_every_metric_is_in_a_result_and_can_be_shown(rng):
    _, figures = measured(make_model(), *setting(rng))
    assert list(figures.by_metric()) == list(METRICS)
    for name, value in figures.by_metric().items():
        assert (METRICS[name].shown(value) == "-") == (value is None)
    assert METRICS["relative_error"].shown(0.123) == "12.3 %"
