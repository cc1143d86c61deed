"""A task's error as a string in the graph, where nothing may raise: a server gives one status to a batch."""

import tensorflow as tf

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
    columns = tf.reduce_any(bad, axis=1)
    first = tf.argmax(tf.cast(columns, tf.int32), axis=1, output_type=tf.int32)
    name = tf.gather(names, first, batch_dims=names.shape.rank - 1)
    wrong = "infinity" if imputes else "NaN or infinity"
    sentence = tf.strings.join(
        [f"The {what} of a task must be finite numbers, but received {wrong} for '", name, "': fill it in."]
    )
    return tf.where(tf.reduce_any(columns, axis=1), sentence, "")


def wrong_size(support_size: tf.Tensor, rows: tf.Tensor, sizes: tuple[int, ...]) -> tf.Tensor:
    """Say which task's support size the model was not trained for, or has fewer rows than it says.

    Args:
        support_size: int32 [tasks].
        rows: how many rows each task has, padding included.
        sizes: what the model was trained for.

    Returns:
        string [tasks].
    """
    known = tf.reduce_any(support_size[:, None] == tf.constant(sizes, tf.int32)[None, :], axis=1)
    received = tf.strings.as_string(support_size)
    allowed = " or ".join(map(str, sizes))
    unknown = tf.strings.join(
        [f"support_size must be {allowed}, which the model was trained for, but received ", received, "."]
    )
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


def overflow(results: tf.Tensor) -> tf.Tensor:
    """Say which task's results are no finite numbers: string [tasks] for [tasks, ...]."""
    others = list(range(1, results.shape.rank))
    return tf.where(tf.reduce_all(tf.math.is_finite(results), axis=others), "", OVERFLOW)
