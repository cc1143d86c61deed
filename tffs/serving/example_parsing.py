"""Support sets from tf.Examples, without an exception for those that are none."""

import tensorflow as tf

NAME = "support"


def parse_examples(examples: tf.Tensor, num_values: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Read the float feature `support` of every Example.

    An Example that cannot be read raises for a whole batch; tf.data drops it instead.

    Args:
        examples: string [tasks].
        num_values: how many values a whole support set has.

    Returns:
        How many values each had, int32 [tasks], -1 where there is no such feature of floats; and the values,
        [tasks, num_values], zero where the number is another.
    """

    def parse(task: tf.Tensor, example: tf.Tensor) -> tuple[tf.Tensor, ...]:
        values = _floats(example)
        count = tf.size(values)
        whole = tf.cond(count == num_values, lambda: values, lambda: tf.zeros([num_values]))
        return task, tf.where(count > 0, count, -1), tf.ensure_shape(whole, [num_values])

    def put(read: tuple[tf.Tensor, ...], one: tuple[tf.Tensor, ...]) -> tuple[tf.Tensor, ...]:
        task, *parsed = one
        return tuple(
            tf.tensor_scatter_nd_update(all_tasks, [[task]], [own])
            for all_tasks, own in zip(read, parsed, strict=True)
        )

    tasks = tf.size(examples)
    options = tf.data.Options()
    options.autotune.enabled = False  # it would start threads for every request
    options.experimental_optimization.apply_default_optimizations = False
    readable = (
        tf.data.Dataset.from_tensor_slices((tf.range(tasks), examples))
        .map(parse)
        .ignore_errors()
        .with_options(options)
    )
    return readable.reduce((tf.fill([tasks], -1), tf.zeros([tasks, num_values])), put)


def _floats(example: tf.Tensor) -> tf.Tensor:
    """Give the values of the feature, none where it is missing or has no floats.

    Message by message: `tf.io.parse_example` believes the length that a list of floats announces, and ends the
    process where there are fewer (TensorFlow 2.21). What a message lacks is decoded as an empty message.
    """
    # `features` may stand there in several parts. It is field 1, as is the repeated one of a BytesList.
    features = _messages(example[None], "BytesList", "value")
    entries = _messages(features, "Features", "feature")
    names = _messages(entries, "Features.FeatureEntry", "key")
    found = tf.boolean_mask(_messages(entries, "Features.FeatureEntry", "value"), names == NAME)
    own = tf.concat([[""], found], axis=0)[-1:]  # where a name stands twice, the last one counts
    sizes, (values,) = _decoded(_messages(own, "Feature", "float_list"), "FloatList", "value", tf.float32)
    return values[0, : sizes[0, 0]]


def _messages(messages: tf.Tensor, kind: str, name: str) -> tf.Tensor:
    """Give what a field of messages holds, one after the other."""
    return tf.reshape(_decoded(messages, kind, name, tf.string)[1][0], [-1])


def _decoded(messages: tf.Tensor, kind: str, name: str, dtype: tf.DType) -> tuple[tf.Tensor, list[tf.Tensor]]:
    return tf.io.decode_proto(messages, f"tensorflow.{kind}", [name], [dtype])
