"""One Gaussian of all source rows, which the posterior is compared with."""

import numpy as np

from tests.posterior.small import rows_of_tasks, source_of_tasks
from tffs.methods.pooled import order_of
from tffs.posterior.pooled import pooled_model
from tffs.posterior.prior import SHRINK
from tffs.posterior.recipe import RIDGE


def covariance_of(rows):
    """The covariance of rows, with a little more weight on its diagonal."""
    count, features = rows.shape
    covariance = np.cov(rows, rowvar=False)
    shrunk = covariance * (1.0 - SHRINK * features / (features + count))
    np.fill_diagonal(shrunk, np.diag(covariance))
    return shrunk


def test_greedy_is_column_subset_selection_on_the_covariance_of_all_rows():
    x = rows_of_tasks()
    source = source_of_tasks(x).without(1)
    rows = np.delete(x, 1, axis=0).reshape(-1, x.shape[-1]).astype(np.float64)
    left, order = covariance_of(rows), []
    for _ in range(6):
        gains = np.square(left).sum(axis=0) / np.diag(left)
        gains[order] = -1.0
        best = int(gains.argmax())
        order.append(best)
        left = left - np.outer(left[best], left[best]) / left[best, best]
        left[best, best] = 1.0
    model = pooled_model(source, np.ones(x.shape[-1]), 2)
    assert order_of("greedy", source, model, 0)[: len(order)].tolist() == order


def test_it_infers_by_regression_on_all_rows_whatever_the_support_is():
    x = rows_of_tasks()
    source = source_of_tasks(x)
    rows = x.reshape(-1, x.shape[-1]).astype(np.float64)
    covariance, mean, chosen = covariance_of(rows), rows.mean(axis=0), [0, 2]
    block = covariance[np.ix_(chosen, chosen)] + RIDGE * np.diag(np.diag(covariance)[chosen])
    gain = np.linalg.solve(block, covariance[chosen]).T
    expected = mean + (rows[:9, chosen] - mean[chosen]) @ gain.T
    expected = np.clip(expected, rows.min(axis=0), rows.max(axis=0))
    expected[:, chosen] = rows[:9, chosen]
    values = np.full((1, 9, x.shape[-1]), np.nan, np.float32)
    values[0, :, chosen] = rows[:9, chosen].T
    model = pooled_model(source, np.ones(x.shape[-1]), 2)
    for support in (x[:1, :0], x[:1, :3]):
        np.testing.assert_allclose(model.infer(support, values).mean[0], expected, rtol=1e-3, atol=1e-3)


def test_variance_and_random_order_all_features():
    source = source_of_tasks(rows_of_tasks())
    model = pooled_model(source, np.ones(source.num_features), 1)
    variance = source.row_variance()[order_of("variance", source, model, 0)]
    assert (np.diff(variance) <= 0).all()
    drawn = [order_of("random", source, model, seed).tolist() for seed in range(20)]
    assert all(sorted(order) == list(range(source.num_features)) for order in drawn)
    assert len({tuple(order) for order in drawn}) > 1
