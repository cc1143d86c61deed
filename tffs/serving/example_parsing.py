"""Support sets from tf.Examples, without an exception for those that are none."""

import tensorflow as tf


def parse_examples(examples: tf.Tensor, num_values: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Read the float feature `support` of every Example.

    TensorFlow's parser raises for a whole batch; tf.data drops the Examples that it cannot read instead.

    Args:
        examples: string [tasks].
        num_values: how many values a whole support set has.

    Returns:
        How many values each had, int32 [tasks], -1 where there is no such feature of floats; and the values,
        [tasks, num_values], zero where the number is another.
    """

    def parse(task: tf.Tensor, example: tf.Tensor) -> tuple[tf.Tensor, ...]:
        feature = tf.io.parse_single_example(example, {"support": tf.io.VarLenFeature(tf.float32)})
        values = feature["support"].values
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
