import numpy as np
import pytest

from tffs.config.run import LOSSES as CONFIGURED
from tffs.training.objective import LOSSES, cross_entropy, reconstruction_error


def oracle(labels, logits):
    """The mean of -log softmax(logits)[label], row by row."""
    losses = []
    for task in range(len(labels)):
        for label, row in zip(labels[task], logits[task].astype(np.float64), strict=True):
            losses.append(np.log(np.exp(row - row.max()).sum()) + row.max() - row[label])
    return np.mean(losses)


def test_cross_entropy_is_the_mean_over_rows_and_tasks(rng):
    labels = rng.integers(0, 4, size=(2, 5))
    logits = 3 * rng.normal(size=(2, 5, 4)).astype(np.float32)
    logits[0, 0] = (500.0, -500.0, 0.0, 0.0)  # on logits, so that nothing overflows
    np.testing.assert_allclose(cross_entropy(labels, logits), oracle(labels, logits), rtol=1e-5)


@pytest.mark.parametrize("classes", [2, 10])
def test_not_knowing_costs_the_logarithm_of_the_number_of_classes(classes):
    labels, logits = np.zeros((3, 7), np.int32), np.zeros((3, 7, classes), np.float32)
    np.testing.assert_allclose(cross_entropy(labels, logits), np.log(classes), rtol=1e-6)


def test_losses_go_by_their_names(rng):
    rows, decoded = rng.random((2, 3, 4), dtype=np.float32), rng.random((2, 3, 4), dtype=np.float32)
    labels = rng.integers(0, 4, size=(2, 3))
    assert LOSSES["reconstruction"].of(rows, labels, decoded) == reconstruction_error(rows, decoded)
    assert LOSSES["cross_entropy"].of(rows, labels, decoded) == cross_entropy(labels, decoded)


def test_every_loss_of_the_configuration_can_be_computed():
    assert tuple(LOSSES) == CONFIGURED
