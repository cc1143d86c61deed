import numpy as np
import sklearn.datasets
import tensorflow_datasets as tfds

from data_builders.digits_r import digits_r_dataset_builder as digits_r


class DigitsRTest(tfds.testing.DatasetBuilderTestCase):
    DATASET_CLASS = digits_r.Builder
    EXAMPLE_DIR = ""  # the images come with scikit-learn; there is nothing to download
    SPLITS = {"rot0": 300, "rot15": 300, "rot30": 300, "rot45": 299, "rot60": 299, "rot75": 299}


def test_no_image_is_dealt_to_two_tasks_and_none_is_left_out():
    dealt = np.concatenate(digits_r.deal(1797))
    assert sorted(dealt) == list(range(1797))


def test_every_task_has_every_digit():
    labels = sklearn.datasets.load_digits().target
    for members in digits_r.deal(len(labels)):
        assert np.bincount(labels[members], minlength=10).min() >= 15


def test_rotation_turns_counter_clockwise_and_keeps_the_range():
    image = np.zeros((8, 8))
    image[3:5, 6:8] = 16.0  # a blob at three o'clock
    upright = digits_r.rotate(image, 0).reshape(8, 8)
    np.testing.assert_array_equal(upright, image / 16.0)
    turned = digits_r.rotate(image, 75).reshape(8, 8)
    row, _ = np.unravel_index(turned.argmax(), (8, 8))
    assert row < 2  # near twelve o'clock
    assert turned.dtype == np.float32
    assert turned.min() >= 0.0
    assert turned.max() <= 1.0
