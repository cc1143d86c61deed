"""The paper's datasets through TFDS's own test case, on dummy data (see make_dummy_data.py)."""

import tensorflow_datasets as tfds

from data_builders.amazon_reviews import amazon_reviews_dataset_builder
from data_builders.isolet import isolet_dataset_builder
from data_builders.mnist_r import mnist_r_dataset_builder
from data_builders.vlcs import vlcs_dataset_builder
from tests.data_builders.make_dummy_data import ROWS


class MnistRTest(tfds.testing.DatasetBuilderTestCase):
    DATASET_CLASS = mnist_r_dataset_builder.Builder
    SPLITS = {f"rot{angle}": ROWS for angle in (0, 15, 30, 45, 60, 75)}
    DL_DOWNLOAD_RESULT = "MNIST_6rot.pkl.gz"


class IsoletTest(tfds.testing.DatasetBuilderTestCase):
    DATASET_CLASS = isolet_dataset_builder.Builder
    SPLITS = {f"isolet{number}": ROWS for number in range(1, 6)}
    DL_DOWNLOAD_RESULT = {task: url.rpartition("/")[2] for task, url in isolet_dataset_builder.URLS.items()}


class AmazonReviewsTest(tfds.testing.DatasetBuilderTestCase):
    DATASET_CLASS = amazon_reviews_dataset_builder.Builder
    SPLITS = dict.fromkeys(("books", "dvd", "electronics", "kitchen"), ROWS)
    DL_DOWNLOAD_RESULT = {
        task: url.rpartition("/")[2] for task, url in amazon_reviews_dataset_builder.URLS.items()
    }


class VlcsTest(tfds.testing.DatasetBuilderTestCase):
    DATASET_CLASS = vlcs_dataset_builder.Builder
    SPLITS = dict.fromkeys(("voc2007", "labelme", "caltech101", "sun09"), ROWS)
