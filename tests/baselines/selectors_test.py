"""The baselines as scikit-learn's selectors, in every release of scikit-learn that is supported."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline

from tests.estimator.checks import conformance_checks
from tffs.baselines import GreedySelector, LaplacianScoreSelector, SpecSelector, VarianceSelector
from tffs.baselines.fixed_choices import highest_variance_features
from tffs.baselines.laplacian_score import laplacian_ranking
from tffs.baselines.spec import spec_ranking
from tffs.data.tasks import TaskRows, Tasks
from tffs.errors import UserError

pytestmark = pytest.mark.filterwarnings("ignore:n_features_to_select=10 is greater")
SELECTORS = [LaplacianScoreSelector, SpecSelector, GreedySelector, VarianceSelector]
every_selector = pytest.mark.parametrize("selector_of", SELECTORS)


@pytest.fixture
def frame(rng):
    """Forty rows of seven named features in different units, in two clusters."""
    rows = rng.normal(size=(40, 7)) @ rng.normal(size=(7, 7))
    rows[20:, :2] += 8.0
    units = 10.0 ** np.array([0, 3, -3, 1, 0, -6, 6])
    return pd.DataFrame(rows * units, columns=list("abcdefg"))


@conformance_checks([selector() for selector in SELECTORS])
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@every_selector
def test_ranks_order_and_support_agree(selector_of, frame):
    selector = selector_of(n_features_to_select=3).fit(frame)
    assert sorted(selector.ranking_)[-1] == 8 - selector.n_features_
    by_rank = [frame.columns[selector.ranking_ == rank] for rank in range(1, 6)]
    assert set(by_rank[0]) == set(selector.order_[:3])
    assert [name for names in by_rank[1:] for name in names] == list(selector.order_[3:])
    chosen = [name for name in frame.columns if name in selector.order_[:3]]
    assert list(selector.get_feature_names_out()) == chosen
    np.testing.assert_array_equal(selector.transform(frame), frame[chosen])
    assert selector.scores_.shape == (7,)
    pd.testing.assert_frame_equal(selector.set_output(transform="pandas").transform(frame), frame[chosen])


@every_selector
def test_units_do_not_matter(selector_of, frame):
    order = selector_of().fit(frame).order_
    assert list(selector_of().fit(1000.0 * frame - 5.0).order_) == list(order)


@every_selector
def test_without_names_features_are_numbered(selector_of, frame):
    named = selector_of(2).fit(frame)
    unnamed = selector_of(2).fit(frame.to_numpy())
    assert list(unnamed.order_) == [f"x{frame.columns.get_loc(name)}" for name in named.order_]


@every_selector
def test_a_share_of_the_features_can_be_selected(selector_of, frame):
    assert selector_of(n_features_to_select=0.5).fit_transform(frame).shape == (40, 3)


@every_selector
def test_more_features_than_there_are_means_all_with_a_warning(selector_of, frame):
    with pytest.warns(UserWarning, match="n_features_to_select=8 is greater than n_features=7"):
        selector = selector_of(n_features_to_select=8).fit(frame)
    assert selector.get_support().all()


@every_selector
def test_groups_are_taken_and_change_nothing(selector_of, frame):
    groups = np.repeat([0, 1, 2, 3], 10)
    np.testing.assert_array_equal(
        selector_of().fit(frame, groups=groups).ranking_, selector_of().fit(frame).ranking_
    )


@every_selector
def test_clones_and_pickles_are_the_same(selector_of, frame):
    selector = selector_of(3, scaling="minmax").fit(frame)
    again = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(again.transform(frame), selector.transform(frame))
    np.testing.assert_array_equal(
        again.inverse_transform(again.transform(frame)), selector.inverse_transform(selector.transform(frame))
    )
    assert clone(selector).get_params() == selector.get_params()
    assert not hasattr(clone(selector), "ranking_")


@every_selector
def test_it_selects_within_a_pipeline_that_is_searched_by_groups(selector_of, frame):
    groups = np.repeat([0, 1, 2, 3], 10)
    pipeline = make_pipeline(selector_of(), KMeans(2, n_init=1, random_state=0))
    name = pipeline.steps[0][0]
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(pipeline, {f"{name}__n_features_to_select": [1, 2]}, cv=GroupKFold(2))
        search.fit(frame, groups=groups)
    assert search.best_params_[f"{name}__n_features_to_select"] in (1, 2)


@every_selector
def test_wrong_parameters_are_refused_by_name(selector_of, frame):
    with pytest.raises(UserError, match="n_features_to_select must be a whole number"):
        selector_of(n_features_to_select=0).fit(frame)
    with pytest.raises(UserError, match="Expected scaling to be one of 'standard', 'minmax', 'none'"):
        selector_of(scaling="log").fit(frame)


@every_selector
def test_sparse_rows_are_refused(selector_of):
    with pytest.raises(TypeError, match="Sparse data was passed"):
        selector_of().fit(csr_array(np.eye(5)))


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (LaplacianScoreSelector(n_neighbors=40), "n_neighbors.*less than the number of rows, 40"),
        (LaplacianScoreSelector(n_neighbors=0), "n_neighbors.*Received: n_neighbors=0"),
        (LaplacianScoreSelector(heat=0.0), "heat to be positive"),
        (SpecSelector(gamma=-1.0), "gamma to be positive"),
        (SpecSelector(order="best"), "order to be one of 'library', 'corrected'"),
        (GreedySelector(ridge=-0.1), "ridge not to be negative"),
        (VarianceSelector(scaling="standard"), "with 'standard' every feature has the same"),
    ],
)
def test_a_methods_own_parameters_are_checked(selector, message, frame):
    with pytest.raises(UserError, match=message):
        selector.fit(frame)


def indices(selector, rows):
    return [int(name.removeprefix("x")) for name in selector.fit(rows).order_]


@pytest.mark.parametrize("heat", [0.1, 1.0, 10.0])
def test_the_laplacian_score_is_that_of_the_experiments(rng, heat):
    rows = rng.normal(size=(30, 6))
    selector = LaplacianScoreSelector(n_neighbors=5, heat=heat, scaling="none")
    np.testing.assert_array_equal(indices(selector, rows), laplacian_ranking(rows, 5, heat))


@pytest.mark.parametrize("order", ["library", "corrected"])
def test_spec_is_that_of_the_experiments(rng, order):
    rows = 0.5 * rng.normal(size=(30, 6))
    selector = SpecSelector(gamma=1.0, order=order, scaling="none")
    np.testing.assert_array_equal(indices(selector, rows), spec_ranking(rows, order))


def test_the_variance_is_that_of_the_experiments(rng):
    rows = (rng.normal(size=(30, 6)) * rng.random(6)).astype(np.float32)
    tasks = Tasks(rows, tuple("abcdef"), ("one",), np.array([0, 30]))
    expected = highest_variance_features(tasks, TaskRows.from_lists(("one",), [np.arange(30)]), 6, seed=0)
    np.testing.assert_array_equal(indices(VarianceSelector(scaling="none"), rows), expected)


@pytest.mark.parametrize("selector", [LaplacianScoreSelector(1), SpecSelector(1)])
def test_wide_rows_are_ranked_by_what_they_say_and_not_by_their_order(rng, selector):
    rows = rng.normal(size=(60, 2000))
    rows[30:, 1000:] += 8.0  # half of the features tell two clusters apart
    assert (selector.fit(rows).ranking_[1000:] <= 1000).all()


def test_two_rows_are_enough_and_one_is_not(rng):
    rows = rng.normal(size=(2, 3))
    for selector in (LaplacianScoreSelector(1, n_neighbors=1), SpecSelector(1), GreedySelector(1)):
        assert selector.fit_transform(rows).shape == (2, 1)
        with pytest.raises(ValueError, match="minimum of 2"):
            selector.fit(rows[:1])


def test_nothing_imports_tensorflow():
    program = (
        "import sys, tffs.baselines as b\n"
        "assert 'sklearn' not in sys.modules and set(b.__all__) <= set(dir(b))\n"
        "[getattr(b, name)(1).fit([[k, k * k % 5] for k in range(8)]) for name in b.__all__]\n"
        "assert 'tensorflow' not in sys.modules and 'keras' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
