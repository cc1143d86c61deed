import os

import tensorflow as tf

from tffs.data.untuned import untuned


def test_the_tuner_is_off_and_the_elements_are_the_same():
    dataset = tf.data.Dataset.range(5).map(lambda number: 2 * number).prefetch(1)
    assert untuned(dataset).options().autotune.enabled is False
    assert list(untuned(dataset).as_numpy_iterator()) == [0, 2, 4, 6, 8]


def test_what_a_dataset_holds_is_not_copied():
    held = tf.ones([64, 2**20])
    dataset = untuned(tf.data.Dataset.range(5).map(lambda number: held[number, 0]))
    before = resident()
    assert next(iter(dataset)) == 1.0
    assert resident() - before < held.shape.num_elements() * 4 / 2


def resident():
    """The bytes of this process that are in memory."""
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
