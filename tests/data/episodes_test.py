import itertools
import time

import numpy as np
import pytest
import scipy.stats
import tensorflow as tf

from tffs.data.episodes import EpisodeGenerator, sample_without_replacement
from tffs.data.tasks import TaskRows


def generator(counts, support=2, query=3, seed=1, features=2, labels=None):
    """Make tasks whose rows hold their own row number and task number."""
    offsets = np.concatenate([[0], np.cumsum(counts)])
    rows = [np.arange(start, stop) for start, stop in itertools.pairwise(offsets)]
    task_of = np.repeat(np.arange(len(counts)), counts)
    matrix = np.stack([np.arange(offsets[-1]), task_of], axis=1).astype(np.float32)
    matrix = np.pad(matrix, ((0, 0), (0, features - 2)))
    names = tuple(f"t{i}" for i in range(len(counts)))
    return EpisodeGenerator(matrix, TaskRows.from_lists(names, rows), support, query, seed, 1, labels)


def drawn(episodes, first, count):
    return episodes.rows(tf.constant(first, tf.int64), count).numpy()


def fisher_yates(u, count):
    array, chosen = list(range(count)), []
    for j, u_j in enumerate(u):
        r = j + min(int(u_j * (count - j)), count - j - 1)
        array[j], array[r] = array[r], array[j]
        chosen.append(array[j])
    return chosen


@pytest.mark.parametrize(("count", "size"), [(1, 1), (5, 5), (64, 64), (70, 64), (9, 3), (100000, 64)])
def test_sampling_is_fisher_yates_stopped_early(count, size, rng):
    u = rng.random((50, size))
    u[0], u[1] = 0.0, 1.0 - 2.0**-53
    chosen = sample_without_replacement(tf.constant(u), tf.constant([count] * 50, tf.int64)).numpy()
    np.testing.assert_array_equal(chosen, [fisher_yates(row, count) for row in u])


def test_every_ordered_sample_is_equally_likely(rng):
    u = rng.random((24000, 3))
    chosen = sample_without_replacement(tf.constant(u), tf.constant([4] * 24000, tf.int64)).numpy()
    _, counts = np.unique(chosen, axis=0, return_counts=True)
    assert len(counts) == 24
    assert scipy.stats.chisquare(counts).pvalue > 0.001


def test_episode_is_a_function_of_seed_and_number():
    episodes = generator([9, 20, 13])
    whole = drawn(episodes, 0, 40)
    np.testing.assert_array_equal(whole[17:31], drawn(episodes, 17, 14))
    np.testing.assert_array_equal(whole, drawn(generator([9, 20, 13]), 0, 40))
    assert (whole != drawn(generator([9, 20, 13], seed=2), 0, 40)).any()


def test_support_and_query_are_disjoint_rows_of_one_task():
    episodes = generator([5, 20, 13])
    support, query = episodes.episodes(tf.constant(0, tf.int64), 500)
    rows = np.concatenate([support, query], axis=1)
    assert support.shape == (500, 2, 2)
    assert query.shape == (500, 3, 2)
    for episode in rows:
        assert len(set(episode[:, 0])) == 5
        assert len(set(episode[:, 1])) == 1


def test_labels_are_those_of_the_query_rows_and_change_no_draw(rng):
    labels = rng.integers(0, 7, size=38)
    labelled = generator([5, 20, 13], labels=labels)
    first = tf.constant(3, tf.int64)
    support, query, found = labelled.labelled_episodes(first, 50)
    np.testing.assert_array_equal(found, labels[query.numpy()[:, :, 0].astype(int)])
    assert found.dtype == tf.int32
    plain = generator([5, 20, 13])
    for one, other in zip(plain.episodes(first, 50), (support, query), strict=True):
        np.testing.assert_array_equal(one, other)
    assert plain.labelled_episodes(first, 50)[2].shape == (50, 0)


def test_tasks_are_drawn_uniformly_whatever_their_size():
    episodes = generator([5, 500, 50])
    _, query = episodes.episodes(tf.constant(0, tf.int64), 3000)
    counts = np.bincount(np.asarray(query)[:, 0, 1].astype(int))
    assert scipy.stats.chisquare(counts).pvalue > 0.001


def test_rows_are_drawn_uniformly():
    rows = drawn(generator([20]), 0, 4000)
    assert scipy.stats.chisquare(np.bincount(rows.ravel())).pvalue > 0.001


def test_dataset_streams_the_same_episodes_from_any_start():
    episodes = generator([9, 20, 13])
    batches = [np.concatenate(pair, axis=1) for pair in episodes.dataset(4).take(3).as_numpy_iterator()]
    later = next(iter(episodes.dataset(4, first=8).as_numpy_iterator()))
    np.testing.assert_array_equal(batches[2], np.concatenate(later, axis=1))


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError, match="a task of 4 rows"):
        generator([9, 4])


def test_cost_grows_neither_with_tasks_nor_with_rows():
    def seconds(counts):
        episodes = generator(counts, 4, 60)
        draw = tf.function(lambda i: episodes.rows(i, 100))
        draw(tf.constant(0, tf.int64))
        times = []
        for repeat in range(20):
            began = time.perf_counter()
            draw(tf.constant(repeat * 100, tf.int64))
            times.append(time.perf_counter() - began)
        return min(times)

    small = seconds([100] * 4)
    # Linear growth would be a factor of 2,500 and more; ten leaves room for caches and a busy machine.
    assert seconds([100] * 10000) < 10 * small
    assert seconds([1000000]) < 10 * small
