"""A task's error as a string in the graph, where nothing may raise: a server gives one status to a batch."""

import tensorflow as tf

from tffs.selection.greedy import Limits

ROUNDING = 1e-6  # by which a sum of float32 costs may exceed the budget
OVERFLOW = "The task's values are too large to compute with: check their units."
NOT_AN_EXAMPLE = "Expected a tf.Example with the float feature 'support', but received something else."


def first_of(*errors: tf.Tensor) -> tf.Tensor:
    """Take for each task the first error that is not empty: string [tasks]."""
    found = errors[-1]
    for error in reversed(errors[:-1]):
        found = tf.where(error == "", found, error)
    return found


def not_finite(
    rows: tf.Tensor, names: tf.Tensor, what: str, imputes: bool, mask: tf.Tensor | None
) -> tf.Tensor:
    """Say which feature of which task has a value that is no finite number.

    Args:
        rows: [tasks, rows, columns].
        names: the columns' names, string [columns] or [tasks, columns].
        what: what the rows are called in the sentence.
        imputes: whether NaN is filled in, and so no error.
        mask: boolean [tasks, rows], False where a row only pads, or None.

    Returns:
        string [tasks].
    """
    bad = tf.math.is_inf(rows) if imputes else ~tf.math.is_finite(rows)
    if mask is not None:
        bad &= mask[:, :, None]
    wrong = "infinity" if imputes else "NaN or infinity"
    before = f"The {what} of a task must be finite numbers, but received {wrong} for '"
    return _of_a_feature(tf.reduce_any(bad, axis=1), names, before, "': fill it in.")


def wrong_size(support_size: tf.Tensor, rows: tf.Tensor, sizes: tuple[int, ...] | None) -> tf.Tensor:
    """Say which task's support size the model was not trained for, or has fewer rows than it says.

    Args:
        support_size: int32 [tasks].
        rows: how many rows each task has, padding included.
        sizes: what the model was trained for; None if it takes any number of rows, 0 included.

    Returns:
        string [tasks].
    """
    received = tf.strings.as_string(support_size)
    if sizes is None:
        known, allowed = support_size >= 0, "0 or more"
    else:
        known = tf.reduce_any(support_size[:, None] == tf.constant(sizes, tf.int32)[None, :], axis=1)
        allowed = f"{' or '.join(map(str, sizes))}, which the model was trained for"
    unknown = tf.strings.join([f"support_size must be {allowed}, but received ", received, "."])
    short = tf.strings.join(
        ["support_size says ", received, " rows, but received only ", tf.strings.as_string(rows), "."]
    )
    return tf.where(known, tf.where(support_size > rows, short, ""), unknown)


def wrong_count(counts: tf.Tensor, support_size: int, num_features: int) -> tf.Tensor:
    """Say which task's Example does not hold one whole support set.

    Args:
        counts: int32 [tasks], how many values each has; -1 where there was no such Example.
        support_size: N_S.
        num_features: M.

    Returns:
        string [tasks].
    """
    expected = support_size * num_features
    wrong = tf.strings.join(
        [
            f"The feature 'support' must hold {support_size} rows of {num_features} values, ",
            f"{expected} in all, but received ",
            tf.strings.as_string(counts),
            ".",
        ]
    )
    return tf.where(counts == expected, "", tf.where(counts < 0, NOT_AN_EXAMPLE, wrong))


def wrong_limits(limits: Limits, names: tf.Tensor) -> tf.Tensor:
    """Say which task's limits cannot be kept.

    Args:
        limits: of a ranking.
        names: string [features].

    Returns:
        string [tasks].
    """
    include, exclude, costs, budget = limits
    both = _of_a_feature(include & exclude, names, "The feature '", "' is both included and excluded.")
    price = _of_a_feature(
        ~tf.math.is_finite(costs) | (costs < 0.0),
        names,
        "The costs of a task must be finite numbers of at least 0, but received another for '",
        "'.",
    )
    spent = tf.reduce_sum(tf.where(include, costs, 0.0), axis=1)
    dear = tf.strings.join(
        [
            "The included features cost ",
            tf.strings.as_string(spent, shortest=True),
            " together, more than the budget of ",
            tf.strings.as_string(budget, shortest=True),
            ".",
        ]
    )
    beyond = (budget >= 0.0) & (spent > budget * (1.0 + ROUNDING))
    no_budget = tf.where(tf.math.is_nan(budget), "The budget must be a number, negative for none.", "")
    return first_of(both, price, no_budget, tf.where(beyond, dear, ""))


def _of_a_feature(wrong: tf.Tensor, names: tf.Tensor, before: str, after: str) -> tf.Tensor:
    """Name the first wrong feature of each task between two texts: string [tasks].

    Args:
        wrong: bool [tasks, features].
        names: string [features] or [tasks, features].
        before: the sentence up to the name.
        after: and what follows it.
    """
    first = tf.argmax(tf.cast(wrong, tf.int32), axis=1, output_type=tf.int32)
    name = tf.gather(names, first, batch_dims=names.shape.rank - 1)
    return tf.where(tf.reduce_any(wrong, axis=1), tf.strings.join([before, name, after]), "")


def overflow(results: tf.Tensor) -> tf.Tensor:
    """Say which task's results are no finite numbers: string [tasks] for [tasks, ...]."""
    others = list(range(1, results.shape.rank))
    return tf.where(tf.reduce_all(tf.math.is_finite(results), axis=others), "", OVERFLOW)
