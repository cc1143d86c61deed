import numpy as np
import pandas as pd
import pytest

from tests.posterior import small
from tffs.baselines import GreedySelector
from tffs.baselines.column_subset import LONGEST, Correlation, greedy_order
from tffs.errors import UserError


def shrunk(rows):
    """The covariance with its correlations shrunk, by the formula."""
    covariance = np.cov(rows, rowvar=False, ddof=0)
    share = 0.1 * rows.shape[1] / sum(rows.shape)
    return (1 - share) * covariance + share * np.diag(np.diag(covariance))


def numbered(selector):
    """Give the numbers of all features, best first."""
    return [int(name.removeprefix("x")) for name in selector.order_]


@pytest.mark.parametrize("num_rows", [5, 12, 80])
@pytest.mark.parametrize("scaling", ["standard", "minmax", "none"])
def test_it_chooses_as_trying_every_feature_does(rng, num_rows, scaling):
    rows = rng.normal(size=(num_rows, 4)) @ rng.normal(size=(4, 12)) + 0.3 * rng.normal(size=(num_rows, 12))
    rows *= rng.uniform(0.5, 2.0, size=12)
    covariance = shrunk(rows)
    weights = {"standard": 1 / rows.var(axis=0), "minmax": 1 / np.ptp(rows, axis=0) ** 2, "none": np.ones(12)}
    order, errors = small.greedy(covariance, weights[scaling], 1e-3, 12)
    selector = GreedySelector(scaling=scaling).fit(rows)
    np.testing.assert_array_equal(numbered(selector), order)
    falls = -np.diff(errors) / errors[0]
    np.testing.assert_allclose(selector.scores_[order], falls, atol=1e-10)


def test_it_chooses_as_the_experiments_do(rng):
    from tffs.methods.pooled import order_of
    from tffs.posterior.fitting import weights_of
    from tffs.posterior.pooled import pooled_model

    x = small.rows_of_tasks()
    rows = x.reshape(-1, small.FEATURES)
    source = small.source_of_tasks((x - rows.mean(axis=0)) / rows.std(axis=0))
    model = pooled_model(source, weights_of(source, "standard"), 4)
    order = order_of("greedy", source, model, seed=0)
    selector = GreedySelector(4).fit(rows)
    np.testing.assert_array_equal(numbered(selector), order)
    expected = model.decode_chosen(
        np.zeros((1, 0, small.FEATURES), np.float32),
        source.matrix[None][:, :, np.sort(order[:4])],
        np.sort(order[:4])[None],
    )[0]
    expected = expected * rows.std(axis=0) + rows.mean(axis=0)
    np.testing.assert_allclose(selector.inverse_transform(selector.transform(rows)), expected, atol=1e-4)


def test_what_follows_many_features_is_ranked_by_the_variance_that_is_left(rng):
    features = LONGEST + 20
    weights = np.ones(features)
    weights[100:120] = 1e-6  # nobody asks for these, and what they tell of others is known before
    order, falls = greedy_order(Correlation.of(rng.normal(size=(6, features))), weights, 1e-3)
    assert sorted(order) == list(range(features))
    assert sorted(order[LONGEST:]) == list(range(100, 120))
    assert (np.diff(falls[LONGEST:]) <= 0).all()


def test_equal_and_constant_features_stay_in_their_order(rng):
    rows = rng.normal(size=(30, 5))
    rows[:, 3] = rows[:, 1]
    rows[:, [0, 4]] = 0.1, 7.0
    selector = GreedySelector(5).fit(rows)
    order = list(numbered(selector))
    assert order[-2:] == [0, 4]
    assert order.index(1) < order.index(3)
    np.testing.assert_allclose(selector.inverse_transform(rows), rows)


def test_rows_are_reconstructed_in_raw_units(rng):
    hidden = rng.normal(size=(300, 2))
    rows = pd.DataFrame(hidden @ rng.normal(size=(2, 6)) * 10.0 ** np.arange(6) + 100.0, columns=list("abcdef"))
    selector = GreedySelector(2).fit(rows)
    measured = selector.set_output(transform="pandas").transform(rows)
    whole = selector.inverse_transform(measured)
    np.testing.assert_array_equal(whole[:, selector.get_support()], measured)
    assert (np.square(whole - rows).mean() < 0.01 * rows.var()).all()


def test_nothing_is_inferred_beyond_what_was_seen(rng):
    rows = rng.normal(size=(50, 1)) * np.array([1.0, 2.0])
    selector = GreedySelector(1).fit(rows)
    assert selector.inverse_transform([[1e6]]).max(axis=1) == 1e6
    assert selector.inverse_transform([[1e6]]).min(axis=1) <= rows.max()


def test_single_precision_stays(rng):
    rows = rng.normal(size=(20, 3)).astype(np.float32)
    selector = GreedySelector(2).fit(rows)
    assert selector.inverse_transform(selector.transform(rows)).dtype == np.float32


def test_other_columns_than_those_selected_are_refused(rng):
    rows = pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc"))
    selector = GreedySelector(2).fit(rows)
    names = list(selector.get_feature_names_out())
    with pytest.raises(UserError, match="Expected the selected features in their order.*Received the columns"):
        selector.inverse_transform(rows[names[::-1]])
    with pytest.raises(UserError, match="Expected the 2 selected features. Received 3 columns"):
        selector.inverse_transform(rows.to_numpy())
