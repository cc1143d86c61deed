import tensorflow as tf

from tffs.data.untuned import untuned


def test_the_tuner_is_off_and_the_elements_are_the_same():
    dataset = tf.data.Dataset.range(5).map(lambda number: 2 * number).prefetch(1)
    assert untuned(dataset).options().autotune.enabled is False
    assert list(untuned(dataset).as_numpy_iterator()) == [0, 2, 4, 6, 8]
