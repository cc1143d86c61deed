"""FewShotFeatureSelector does what scikit-learn asks of every estimator, and works in its model selection."""

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from tests.estimator.checks import conformance_checks
from tests.estimator.small import QUICK, machines
from tffs import FewShotFeatureSelector

WAIVED = {
    "check_dataframe_column_names_consistency": "columns are taken by their names, in whatever order they are",
}
ROWS, GROUPS = machines()


def quick(**parameters) -> FewShotFeatureSelector:
    return FewShotFeatureSelector(2, random_state=0, method_params=QUICK, **parameters)


@pytest.mark.filterwarnings("ignore:No groups were given", "ignore:n_features_to_select")
@conformance_checks([quick()], waived=WAIVED)
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def routed():
    with sklearn.config_context(enable_metadata_routing=True):
        yield quick().set_fit_request(groups=True).set_score_request(groups=True)


def test_it_is_cross_validated_on_tasks_that_were_left_out(routed):
    scores = cross_val_score(routed, ROWS, cv=GroupKFold(3), params={"groups": GROUPS})
    assert scores.shape == (3,)
    assert ((scores < 0) & (scores > -1)).all()


def test_a_grid_search_finds_the_number_of_features(routed):
    search = GridSearchCV(routed, {"n_features_to_select": [1, 4]}, cv=GroupKFold(2))
    search.fit(ROWS, groups=GROUPS)
    assert search.best_params_ == {"n_features_to_select": 4}
    assert search.best_estimator_.get_support().sum() == 4


def test_joblib_keeps_it(tmp_path):
    fitted = quick().fit(ROWS, groups=GROUPS)
    joblib.dump(fitted, tmp_path / "selector.joblib")
    again = joblib.load(tmp_path / "selector.joblib")
    np.testing.assert_array_equal(again.get_support(), fitted.get_support())
    np.testing.assert_allclose(again.error_curve_, fitted.error_curve_, rtol=1e-5)
