import numpy as np
import pytest

from tffs.data import medians
from tffs.data.medians import column_medians, passes_for
from tffs.data.sums import sums_of


def in_blocks(matrix, size=7):
    """Sums over the rows of a matrix, by blocks."""
    starts = range(0, len(matrix), size)
    return lambda what: sums_of(lambda: (matrix[start : start + size] for start in starts), what)


def by_sorting(matrix):
    """The mean of the two middle values, in 32 bits."""
    found = []
    for column in matrix.T:
        there = np.sort(column[~np.isnan(column)])
        middle = there[[(len(there) - 1) // 2, len(there) // 2]] if len(there) else np.float32([np.nan])
        found.append(middle.mean())
    return np.float32(found)


@pytest.mark.parametrize("table_bytes", [8, 500, 2**25])
@pytest.mark.parametrize("rows", [1, 2, 3, 40, 101])
def test_medians_are_exact_whatever_the_tables_size(rng, monkeypatch, rows, table_bytes):
    monkeypatch.setattr(medians, "TABLE_BYTES", table_bytes)
    matrix = np.stack(
        [
            rng.normal(size=rows),
            rng.normal(size=rows) * 10.0 ** rng.integers(-38, 38, size=rows),
            rng.integers(-2, 3, size=rows),  # many are equal, and some are minus zero
            -rng.integers(0, 2, size=rows) * 1e-45,  # too small for full precision
            rng.choice([-np.inf, np.inf, 5.0], size=rows),
            np.full(rows, 3.25),
        ],
        axis=1,
    ).astype(np.float32)
    with np.errstate(invalid="ignore"):  # the mean of the two infinities
        np.testing.assert_array_equal(column_medians(in_blocks(matrix), 6), by_sorting(matrix))


def test_missing_values_do_not_count(rng):
    matrix = rng.normal(size=(60, 5)).astype(np.float32)
    matrix[rng.random(matrix.shape) < 0.4] = np.nan
    matrix[:, 3] = np.nan
    found = column_medians(in_blocks(matrix), 5)
    np.testing.assert_array_equal(found, by_sorting(matrix))
    assert np.flatnonzero(np.isnan(found)).tolist() == [3]


@pytest.mark.parametrize("table_bytes", [8, 500, 2**25])
def test_no_more_passes_are_made_than_are_announced(rng, monkeypatch, table_bytes):
    monkeypatch.setattr(medians, "TABLE_BYTES", table_bytes)
    passes = []
    over_rows = in_blocks(rng.normal(size=(40, 3)).astype(np.float32))
    column_medians(lambda what: [passes.append(what), over_rows(what)][1], 3)
    assert len(passes) == passes_for(3)
