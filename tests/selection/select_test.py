import numpy as np
import tensorflow as tf

from tffs.selection import distinct_count, scores_of, select, values_of


def greedy(log_alpha):
    """Take the highest entry of the log-softmax, drop its row and column, and so on."""
    table = log_alpha - np.log(np.exp(log_alpha).sum(-1, keepdims=True))
    table = table.astype(np.float64).copy()
    chosen = np.zeros(len(table), int)
    for _ in range(len(table)):
        slot, feature = np.unravel_index(table.argmax(), table.shape)
        chosen[slot] = feature
        table[slot, :] = -np.inf
        table[:, feature] = -np.inf
    return chosen


def test_argmax_takes_each_selectors_best_feature(rng):
    log_alpha = rng.normal(size=(3, 4, 9)).astype(np.float32)
    np.testing.assert_array_equal(select(tf.constant(log_alpha), "argmax"), log_alpha.argmax(-1))


def test_unique_is_the_greedy_assignment(rng):
    for num_selected, num_features in ((4, 9), (9, 9), (1, 5), (12, 40)):
        # A shared part makes selectors compete for the same features.
        shared = rng.normal(size=(20, 1, num_features)) * 2
        log_alpha = (shared + 0.5 * rng.normal(size=(20, num_selected, num_features))).astype(np.float32)
        chosen = select(tf.constant(log_alpha), "unique").numpy()
        np.testing.assert_array_equal(chosen, [greedy(task) for task in log_alpha])
        assert all(len(set(row)) == num_selected for row in chosen)


def test_unique_equals_argmax_where_no_two_selectors_agree():
    log_alpha = np.full((1, 3, 5), -2.0, np.float32)
    log_alpha[0, [0, 1, 2], [4, 0, 2]] = 3.0
    np.testing.assert_array_equal(select(tf.constant(log_alpha), "unique"), [[4, 0, 2]])


def test_selection_works_inside_a_graph_with_any_number_of_tasks(rng):
    for mode in ("argmax", "unique"):
        for tasks, known in ((1, None), (5, None), (5, 5)):
            graph = tf.function(
                lambda x, mode=mode: select(x, mode), input_signature=[tf.TensorSpec([known, 3, 6], tf.float32)]
            )
            log_alpha = rng.normal(size=(tasks, 3, 6)).astype(np.float32)
            np.testing.assert_array_equal(graph(log_alpha), select(tf.constant(log_alpha), mode))


def test_scores_are_the_softmax_at_the_chosen_features():
    log_alpha = np.log(np.array([[[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]], np.float32))
    np.testing.assert_allclose(scores_of(log_alpha, tf.constant([[1, 2]])), [[0.5, 0.3]], rtol=1e-5)


def test_distinct_counts_features_once():
    np.testing.assert_array_equal(
        distinct_count(tf.constant([[3, 1, 3, 3], [0, 1, 2, 3], [5, 5, 5, 5]])), [2, 4, 1]
    )


def test_values_are_read_in_the_selectors_order():
    rows = np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    np.testing.assert_array_equal(values_of(rows, tf.constant([[3, 0]])), [[[3, 0], [7, 4], [11, 8]]])
