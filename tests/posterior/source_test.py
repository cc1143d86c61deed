"""Sums over source tasks, by groups that can be left out."""

import numpy as np
import pytest

from tests.posterior.small import rows_of_tasks, source_of_tasks
from tffs.data import sums
from tffs.posterior.source import dealt


def test_sums_are_those_of_all_rows_that_are_kept():
    x = rows_of_tasks().astype(np.float64)
    source = source_of_tasks(x.astype(np.float32)).without(2)
    kept = np.delete(x, 2, axis=0)
    flat = kept.reshape(-1, x.shape[-1])
    np.testing.assert_allclose(source.means(), kept.mean(axis=1), rtol=1e-6)
    np.testing.assert_allclose(source.row_mean(), flat.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(source.row_variance(), flat.var(axis=0), rtol=1e-6)
    about = (kept - kept.mean(axis=1, keepdims=True)).reshape(flat.shape)
    np.testing.assert_allclose(source.scatter(), about.T @ about, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(source.scatter_diagonal(), np.square(about).sum(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(source.range(), (flat.min(axis=0), flat.max(axis=0)))


def test_features_far_from_zero_keep_the_digits_in_which_rows_differ(monkeypatch):
    x = rows_of_tasks() + 1e6  # float32 tells 1/16 apart here
    monkeypatch.setattr(sums, "BLOCK_BYTES", 8 * x.shape[-1] * 7)
    source = source_of_tasks(x)
    flat = x.reshape(-1, x.shape[-1]).astype(np.float64)
    about = (x - x.mean(axis=1, keepdims=True, dtype=np.float64)).reshape(flat.shape)
    np.testing.assert_allclose(source.scatter(), about.T @ about, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(source.scatter_diagonal(), np.square(about).sum(axis=0), rtol=1e-6)
    np.testing.assert_allclose(source.row_variance(), flat.var(axis=0), rtol=1e-6)


@pytest.mark.parametrize("block_rows", [1, 7, 1000])
def test_the_size_of_blocks_changes_rounding_only(block_rows, monkeypatch):
    x = rows_of_tasks()
    expected = source_of_tasks(x)
    scatter = expected.scatter()
    monkeypatch.setattr(sums, "BLOCK_BYTES", 8 * x.shape[-1] * block_rows)
    found = source_of_tasks(x)
    np.testing.assert_allclose(found.scatter(), scatter, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(found.means(), expected.means(), rtol=1e-12)


def test_leaving_groups_out_reads_no_row_again(monkeypatch):
    source = source_of_tasks(rows_of_tasks())
    source.scatter()
    monkeypatch.setattr(sums, "_blocks", lambda *_: pytest.fail("rows were read"))
    source.without(0).without(3).scatter()


def test_tasks_are_dealt_evenly_and_few_get_a_group_each():
    assert sorted(dealt(3, 5, seed=0)) == [0, 1, 2]
    assert sorted(np.bincount(dealt(42, 5, seed=0))) == [8, 8, 8, 9, 9]
    np.testing.assert_array_equal(dealt(42, 5, seed=1), dealt(42, 5, seed=1))
