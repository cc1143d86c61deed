import numpy as np

from tffs.baselines.fixed_choices import all_features, highest_variance_features, random_features
from tffs.data.splits import split_tasks
from tffs.data.tasks import Tasks


def planted(rng):
    matrix = rng.random((60, 5), dtype=np.float32)
    tasks = Tasks(matrix, tuple("abcde"), ("one", "two", "three"), np.array([0, 20, 40, 60]))
    return tasks, split_tasks(tasks, "two", "three", "task", 4, seed=0)


def test_random_features_differ_from_each_other_and_by_seed(rng):
    tasks, split = planted(rng)
    assert sorted(random_features(tasks, split.train, 5, seed=3)) == list(range(5))
    draws = [tuple(random_features(tasks, split.train, 3, seed)) for seed in range(4)]
    assert len(set(draws)) > 1


def test_highest_variance_looks_at_training_rows_only(rng):
    tasks, split = planted(rng)
    matrix = tasks.matrix * np.array([1, 3, 0, 2, 1e-3], np.float32)
    outside = np.setdiff1d(np.arange(60), split.train.rows)
    matrix[outside, 2] = rng.normal(size=len(outside)) * 100
    tasks = Tasks(matrix, tasks.feature_names, tasks.task_names, tasks.offsets)
    assert list(highest_variance_features(tasks, split.train, 3, seed=0)) == [1, 3, 0]


def test_all_features_are_all(rng):
    tasks, split = planted(rng)
    assert list(all_features(tasks, split.train, 2, seed=0)) == [0, 1, 2, 3, 4]
