"""Serialized tf.Examples, and bytes that are almost one."""

import numpy as np
import pytest
import tensorflow as tf

from tests.serving.serialized import VALUES, around
from tffs.serving.example_parsing import parse_examples

PARSE = tf.function(lambda examples: parse_examples(examples, len(VALUES)))


def example(**features):
    kinds = {"f": tf.train.FloatList, "i": tf.train.Int64List, "s": tf.train.BytesList}
    fields = {"f": "float_list", "i": "int64_list", "s": "bytes_list"}
    written = tf.train.Example()
    for name, (kind, values) in features.items():
        getattr(written.features.feature[name], fields[kind]).CopyFrom(kinds[kind](value=values))
    return written.SerializeToString()


WHOLE = example(support=("f", VALUES))
WITH_OTHERS = example(a=("i", [1, 2]), support=("f", VALUES), words=("s", [b"x", b""]))


ONE_BY_ONE = around(b"".join(b"\r" + np.float32(value).tobytes() for value in VALUES))


@pytest.mark.parametrize(
    "written",
    [WHOLE, WITH_OTHERS, ONE_BY_ONE, WHOLE + WHOLE, WHOLE + example(other=("f", [1.0])), WHOLE + b"\n\x00"],
    ids=[
        "alone",
        "among others",
        "one by one",
        "twice",
        "in two parts",
        "and nothing",
    ],  # its bytes have another order in another process
)
def test_the_floats_of_the_feature_support_are_read(written):
    counts, values = PARSE(tf.constant([written]))
    assert counts.numpy().tolist() == [len(VALUES)]
    assert values.numpy().tolist() == [VALUES]


@pytest.mark.parametrize(
    ("written", "count"),
    [
        (b"", -1),
        (b"x", -1),
        (example(other=("f", VALUES)), -1),
        (example(support=("i", [1, 2, 3])), -1),
        (example(support=("f", [])), -1),
        (WHOLE[:-1], -1),
        (example(support=("f", VALUES[:2])), 2),
        (example(support=("f", VALUES * 2)), 6),
    ],
    ids=["empty", "no Example", "another name", "integers", "no floats", "cut off", "too few", "too many"],
)
def test_another_number_of_floats_is_counted_and_what_cannot_be_read_is_none(written, count):
    counts, values = PARSE(tf.constant([WHOLE, written, WHOLE]))
    assert counts.numpy().tolist() == [len(VALUES), count, len(VALUES)]
    assert values.numpy().tolist() == [VALUES, [0.0, 0.0, 0.0], VALUES]


@pytest.mark.parametrize("announced", [b"\x7f", b"\x84\xd5\x8d\xb0\x3f", b"\xff\xff\xff\xff\x0f"])
def test_a_list_that_announces_more_floats_than_it_has_cannot_be_read(announced):
    # tf.io.parse_example of TensorFlow 2.21 ends the process here; found by the fuzzer.
    lying = around(b"\n" + announced + np.float32(VALUES).tobytes())
    counts, values = PARSE(tf.constant([lying, WHOLE]))
    assert counts.numpy().tolist() == [-1, len(VALUES)]
    assert values.numpy().tolist() == [[0.0, 0.0, 0.0], VALUES]
