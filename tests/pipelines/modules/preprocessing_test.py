"""Transform's module learns and scales what the core does, on the same rows."""

import numpy as np
import pytest
import tensorflow as tf

from pipelines.row_order import as_tasks
from pipelines.scaled_rows import read_scaled
from pipelines.transformed import learned
from tests.pipelines.transforming import transform
from tffs.data.source_statistics import SourceStatistics
from tffs.layers import Scaling

NAMES = ("Jitter(%)", "constant", "f2", "f10", "größe")


def _rows(holes):
    """Two tasks in units far apart, with a constant column."""
    rng = np.random.default_rng(3)
    rows = {}
    for number, task in enumerate(("a", "b")):
        matrix = rng.normal(10.0 * number, [1e-3, 0.0, 1.0, 300.0, 5.0], (25, 5)).astype(np.float32)
        matrix[:, 1] = 4.25
        rows[task] = matrix
    if holes:
        rows["a"][[0, 3, 7], 2] = np.nan
        rows["b"][[1, 2], 3] = np.nan
    return rows


def _compared(folder, scaling, holes):
    """Give what Transform and the core each learn from and make of the same rows."""
    rows = _rows(holes)
    graph, files = transform(str(folder), rows, NAMES, scaling, "median" if holes else "error")
    names, statistics = learned(graph)
    matrix = np.concatenate(list(rows.values()))
    expected = SourceStatistics.of(matrix, np.arange(len(matrix)), medians=holes)
    layer = Scaling(impute=holes)
    layer.build((None, len(NAMES)))
    layer.learn(*expected.offset_and_width(scaling), expected.median)
    who = np.repeat(np.array(["a", "b"], "S"), 25)
    assert names == NAMES
    return (
        statistics,
        expected,
        read_scaled([files], names, str(folder)),
        as_tasks(np.asarray(layer(matrix)), who, None, names),
    )


@pytest.mark.parametrize("scaling", ["minmax", "none"])
def test_what_needs_no_sums_is_exactly_that_of_the_core(scaling, tmp_path):
    statistics, expected, found, scaled = _compared(tmp_path, scaling, holes=False)
    for name in ("low", "high", "median"):
        np.testing.assert_array_equal(getattr(statistics, name), getattr(expected, name))
    assert found.task_names == ("a", "b")
    np.testing.assert_array_equal(found.matrix, scaled.matrix)
    for record in tf.data.TFRecordDataset(str(tmp_path / "Split-source" / "rows.gz"), compression_type="GZIP"):
        row = tf.train.Example.FromString(record.numpy()).features.feature
        assert not row["statistics"].float_list.value  # which are for rows without a task alone


def test_standard_scaling_is_that_of_the_core_but_for_the_order_of_sums(tmp_path):
    statistics, expected, found, scaled = _compared(tmp_path, "standard", holes=False)
    # Both sum in float64, Transform in another order, and round once to float32.
    np.testing.assert_allclose(statistics.mean, expected.mean, rtol=3e-7)
    np.testing.assert_allclose(statistics.stddev, expected.stddev, rtol=3e-7)
    # A mean that is off by half of its last digit moves a column that varies little by more.
    step = np.spacing(np.abs(expected.mean)) / np.where(expected.stddev > 0, expected.stddev, 1.0)
    np.testing.assert_allclose(found.matrix, scaled.matrix, rtol=1e-6, atol=float(step.max()))
    assert (found.matrix[:, 1] == 0.0).all()  # the constant column


def test_missing_values_are_filled_with_the_medians_of_the_core(tmp_path):
    statistics, expected, found, _ = _compared(tmp_path, "minmax", holes=True)
    matrix = np.concatenate(list(_rows(holes=True).values()))
    # With few rows quantiles are exact, but of an even number of values Transform takes one of the two in the
    # middle where the core takes their mean.
    for column, median in enumerate(statistics.median):
        values = np.sort(matrix[~np.isnan(matrix[:, column]), column])
        assert values[(len(values) - 1) // 2] <= median <= values[len(values) // 2]
    for name in ("low", "high"):
        np.testing.assert_array_equal(getattr(statistics, name), getattr(expected, name))
    layer = Scaling(impute=True)
    layer.build((None, len(NAMES)))
    layer.learn(*expected.offset_and_width("minmax"), statistics.median)
    who = np.repeat(np.array(["a", "b"], "S"), 25)
    np.testing.assert_array_equal(found.matrix, as_tasks(np.asarray(layer(matrix)), who, None, NAMES).matrix)
