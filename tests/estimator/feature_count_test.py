import warnings

import numpy as np
import pytest

from tffs.errors import UserError
from tffs.estimator.feature_count import feature_count


@pytest.mark.parametrize(
    ("wanted", "count"), [(1, 1), (7, 7), (np.int64(3), 3), (0.5, 3), (0.01, 1), (np.float32(0.99), 6)]
)
def test_a_number_or_a_share_is_taken(wanted, count):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert feature_count(wanted, 7) == count


def test_more_than_there_are_means_all_with_a_warning():
    with pytest.warns(UserWarning, match="n_features_to_select=8 is greater than n_features=7"):
        assert feature_count(8, 7) == 7


@pytest.mark.parametrize("wanted", [0, -1, 0.0, 1.0, 2.5, True, None, "8", float("nan")])
def test_anything_else_is_refused(wanted):
    with pytest.raises(UserError, match="n_features_to_select must be a whole number.*Received: "):
        feature_count(wanted, 7)
