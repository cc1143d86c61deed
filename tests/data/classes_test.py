import numpy as np
import pytest

from tffs.data.classes import with_classes
from tffs.data.tasks import Tasks
from tffs.errors import UserError


def tasks(labels, class_names=()):
    rows = np.zeros((6, 2), np.float32)
    labels = None if labels is None else np.asarray(labels)
    return Tasks(rows, ("a", "b"), ("one", "two"), np.array([0, 3, 6]), labels, class_names)


def test_labels_count_from_0_without_a_gap_and_keep_their_names():
    numbered = with_classes(tasks([1, 4, 26, 4, 1, 1]))
    np.testing.assert_array_equal(numbered.labels, [0, 1, 2, 1, 0, 0])
    assert numbered.class_names == ("1", "4", "26")
    named = with_classes(tasks([0, 2, 2, 0, 0, 0], ("cat", "cow", "dog")))  # all cows were left out
    np.testing.assert_array_equal(named.labels, [0, 1, 1, 0, 0, 0])
    assert named.class_names == ("cat", "dog")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "the rows have no labels: give a table's column of classes as --label_column"),
        ([3] * 6, "all rows have the same label"),
        ([0, 1, -1, 0, -1, 1], r"2 row\(s\) have none: leave such rows out with --missing=drop_rows"),
    ],
)
def test_what_cannot_be_predicted_is_refused(labels, message):
    with pytest.raises(UserError, match=message):
        with_classes(tasks(labels))
