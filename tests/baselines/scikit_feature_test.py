import warnings

import numpy as np
import pytest
from skfeature.function.similarity_based.lap_score import lap_score
from skfeature.function.similarity_based.SPEC import spec
from skfeature.utility.construct_W import construct_W

from tffs.baselines.laplacian_score import laplacian_ranking
from tffs.baselines.scikit_feature import library_laplacian_ranking, library_spec_ranking
from tffs.baselines.spec import spec_ranking


@pytest.mark.parametrize("num_rows", [2, 4, 6])
def test_few_rows_are_ranked_by_the_library_with_its_rounding(rng, num_rows):
    rows = rng.random((num_rows, 30), dtype=np.float32)
    rows[:, 5:9] = 0.25  # constants, which the library leaves to rounding
    exact = rows.astype(np.float64)
    with np.errstate(all="ignore"):
        graph = construct_W(
            exact, metric="euclidean", neighbor_mode="knn", weight_mode="heat_kernel", k=1, t=0.1
        )
        expected = lap_score(exact, mode="index", W=graph), spec(exact, mode="index", style=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = library_laplacian_ranking(rows, 1, 0.1), library_spec_ranking(rows)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


def test_many_rows_are_ranked_alike_by_our_own_versions(rng):
    rows = 0.3 * rng.normal(size=(80, 12)) * np.linspace(0.5, 1.5, 12)
    np.testing.assert_array_equal(laplacian_ranking(rows, 5, 1.0), library_laplacian_ranking(rows, 5, 1.0))
    np.testing.assert_array_equal(spec_ranking(rows, "library"), library_spec_ranking(rows))
