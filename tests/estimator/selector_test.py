"""FewShotFeatureSelector: each habit of those who live in pandas and scikit-learn."""

import concurrent.futures
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from threadpoolctl import threadpool_info, threadpool_limits

import tffs
from tests.estimator.small import FEATURES, NEW, QUICK, fitted, machines
from tffs import FewShotFeatureSelector
from tffs.evaluation.curve import suggested

ROWS, GROUPS = machines()


def test_a_fitted_selector_selects_for_a_task_of_which_nothing_is_known(selector):
    assert selector.get_support().sum() == 2
    assert list(selector.order_[:2]) == [
        name for name in selector.order_ if selector.ranking_[FEATURES.index(name)] == 1
    ]
    assert sorted(selector.ranking_) == [1, 1, 2, 3, 4, 5]
    assert list(selector.get_feature_names_out()) == [name for name in FEATURES if name in selector.order_[:2]]
    assert selector.novelty_ is None


def test_the_expected_error_falls_from_no_feature_to_all(selector):
    curve = selector.error_curve_
    assert list(curve.index) == list(range(len(FEATURES) + 1))
    assert (curve.diff().dropna() <= 0).all()
    assert selector.expected_error_ == curve[2]


def test_adapt_gives_another_selector_and_leaves_the_first_as_it_was(selector, new):
    before = list(selector.order_)
    assert new is not selector
    assert 0.0 <= new.novelty_ <= 1.0
    assert selector.novelty_ is None
    assert list(selector.order_) == before
    assert new.expected_error_ != selector.expected_error_


def test_what_was_measured_comes_back_and_the_rest_is_inferred_in_raw_units(new):
    values = new.transform(NEW)
    everything = new.inverse_transform(values)
    np.testing.assert_array_equal(everything[:, new.get_support()], values)
    by_mean = np.square((NEW - ROWS.mean()) / ROWS.std()).to_numpy().sum()
    assert np.square((NEW - everything) / ROWS.std()).to_numpy().sum() < 0.6 * by_mean


def test_a_frame_comes_back_as_a_frame_with_its_index(new):
    measured = pd.DataFrame(new.transform(NEW), columns=new.get_feature_names_out(), index=NEW.index + 100)
    everything, std = new.inverse_transform(measured, return_std=True)
    assert list(everything.columns) == FEATURES
    assert list(everything.index) == list(measured.index)
    assert (std[new.get_feature_names_out()] == 0).all(axis=None)
    assert (std.drop(columns=new.get_feature_names_out()) > 0).all(axis=None)


def test_any_features_may_be_measured_row_by_row(new):
    values = NEW[["heat", "load"]].head(3).copy()
    values.iloc[0, 0] = np.nan
    found = new.reconstruct(values, interval=0.8)
    assert found.values.loc[1, "heat"] == values.loc[1, "heat"]
    assert found.low.loc[0, "heat"] < found.values.loc[0, "heat"] < found.high.loc[0, "heat"]
    wider = new.reconstruct(values, interval=0.99)
    assert (wider.high - wider.low).loc[0, "age"] > (found.high - found.low).loc[0, "age"]
    assert new.reconstruct(values, interval=None).loc[2, "load"] == values.loc[2, "load"]


@pytest.mark.parametrize(("wanted", "number"), [(1, 1), (5, 5), (6, 6), (0.5, 3), ("auto", None)])
def test_another_number_of_features_needs_no_new_fit(selector, wanted, number):
    other = clone(selector).set_params(n_features_to_select=wanted)
    with pytest.raises(NotFittedError):
        other.get_support()
    other = selector.adapt(None).set_params(n_features_to_select=wanted)
    chosen = other.get_support().sum()
    assert chosen == (number or suggested(selector.error_curve_.tolist()))
    assert set(other.get_feature_names_out()) == set(selector.order_[:chosen])


def test_limits_of_adapt_take_the_place_of_the_parameters(selector):
    other = selector.adapt(NEW.head(4), include=["age"], exclude=["heat"])
    assert other.order_[0] == "age"
    assert "heat" not in other.order_
    assert other.ranking_[FEATURES.index("heat")] == max(other.ranking_)
    costs = dict.fromkeys(FEATURES, 1.0) | {"age": 0.0}
    cheap = selector.adapt(NEW.head(4), costs=costs, budget=1.0)
    assert cheap.order_[0] == "age"
    assert len(cheap.order_) == 2
    with pytest.raises(ValueError, match="include.*'nothing'"):
        selector.adapt(NEW.head(4), include=["nothing"])


def test_a_selector_survives_pickle_into_another_process(new, tmp_path):
    file = tmp_path / "selector.pkl"
    file.write_bytes(pickle.dumps(new))
    code = f"import pickle; print(list(pickle.load(open({str(file)!r}, 'rb')).order_))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == str(list(new.order_))
    assert done.stderr == ""


def test_two_threads_may_ask_one_selector(selector):
    supports = [machines(seed=seed, tasks=1)[0].head(3) for seed in range(8)]
    alone = [list(selector.adapt(support).order_) for support in supports]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda support: list(selector.adapt(support).order_), supports))
    assert together == alone


def test_what_is_measured_on_tasks_left_out_has_a_line_a_task_and_a_feature(selector):
    tasks = selector.task_errors_
    assert list(tasks.index) == [f"m{task}" for task in range(6)]
    assert (tasks["relative_error"] < tasks["random"]).mean() > 0.5
    assert list(selector.feature_errors_.index) == FEATURES
    assert (selector.feature_errors_["coverage"].dropna() > 0.5).all()
    assert 0.0 <= selector.stability_["tasks"] <= 1.0


def test_what_was_not_measured_before_pickling_is_said_to_be_missing():
    copied = pickle.loads(pickle.dumps(fitted()))
    with pytest.raises(AttributeError, match="Nothing was measured on tasks left out"):
        _ = copied.task_errors_
    with pytest.raises(AttributeError, match="Nothing was measured"):
        _ = fitted(folds=0).task_errors_


def test_score_is_minus_the_error_on_tasks_that_were_not_seen(selector):
    unseen, whose = machines(seed=1, tasks=3)
    score = selector.score(unseen, groups=whose)
    assert -1.0 < score < 0.0
    assert selector.adapt(None).set_params(n_features_to_select=6).score(unseen, groups=whose) == pytest.approx(
        0, abs=1e-6
    )
    assert score > selector.adapt(None).set_params(n_features_to_select=1).score(unseen, groups=whose)


def test_a_person_s_own_list_is_judged(new):
    judged = new.assess(["age", "noise"])
    assert list(judged.yours["feature"]) in (["age", "noise"], ["noise", "age"])
    assert len(judged.tffs) == 2
    assert judged.verdict.startswith("Yours leave")
    with pytest.raises(tffs.UserError, match="features names 'aeg', which the model does not know"):
        new.assess(["aeg"])


def test_it_works_in_a_pipeline_and_gives_frames_where_asked(selector):
    pipeline = make_pipeline(
        FunctionTransformer(), FewShotFeatureSelector(2, folds=3, random_state=0, method_params=QUICK)
    )
    chosen = (
        pipeline.set_output(transform="pandas").fit(ROWS, fewshotfeatureselector__groups=GROUPS).transform(ROWS)
    )
    assert list(chosen.columns) == list(selector.get_feature_names_out())
    assert list(chosen.index) == list(ROWS.index)


def test_features_that_count_more_are_known_better():
    plain, weighed = fitted(), fitted(feature_weights={"age": 100.0})
    assert weighed.order_[0] == "age"
    assert plain.order_[0] != "age"


def test_more_features_than_there_are_select_all_with_a_warning():
    with pytest.warns(UserWarning, match="n_features_to_select=10 is greater than n_features=6"):
        assert fitted(n_features_to_select=10).get_support().all()  # once, when it selects


def test_the_paper_s_network_selects_from_adapted_rows_alone():
    network = fitted(method="concrete", method_params={"steps": 50, "support_size": 3, "embedding_units": 8})
    with pytest.raises(NotFittedError, match="call adapt with them first"):
        network.get_support()
    adapted = network.adapt(NEW.head(3))
    assert 1 <= adapted.get_support().sum() <= 2
    assert adapted.inverse_transform(adapted.transform(NEW)).shape == NEW.shape
    with pytest.raises(AttributeError, match="error_curve_ is for method='posterior'"):
        _ = adapted.error_curve_
    with pytest.raises(tffs.UserError, match="exactly 2 features"):
        adapted.set_params(n_features_to_select=1).get_support()


def test_other_costs_are_another_choice_however_many_there_are():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(60, 5)) @ rng.normal(size=(5, 70)) + 0.3 * rng.normal(size=(60, 70)))
    wide.columns = [f"f{place}" for place in range(70)]
    chosen = FewShotFeatureSelector(3, random_state=0, method_params=QUICK).fit(
        wide, groups=np.repeat(range(6), 10)
    )
    costs = pd.Series(1.0, index=wide.columns)
    chosen.set_params(costs=costs, budget=3.0)
    before = set(chosen.get_feature_names_out())
    costs = costs.copy()
    costs[list(before)] = 1000.0  # in the middle, which the shortened text of a long Series does not show
    after = set(chosen.set_params(costs=costs).get_feature_names_out())
    assert not before & after


def test_what_an_adapted_selector_may_measure_can_be_changed(selector):
    limited = selector.adapt(NEW.head(4), include=["age"])
    assert "age" not in limited.set_params(include=(), exclude=["age"]).order_
    assert "heat" not in limited.set_params(exclude=["heat"]).assess(["age"]).tffs["feature"].tolist()
    assert selector.include == ()


def test_showing_a_selector_in_a_notebook_measures_nothing():
    shown = fitted()
    assert "FewShotFeatureSelector" in shown._repr_html_()
    assert not shown._figures.measured


def test_fits_in_threads_leave_the_threads_of_blas_as_they_were():
    def threads():
        return sorted(library["num_threads"] for library in threadpool_info())

    with threadpool_limits(2), concurrent.futures.ThreadPoolExecutor(3) as pool:
        before = threads()
        list(pool.map(lambda _: fitted(), range(6)))
        assert threads() == before


def test_a_fit_that_fails_leaves_nothing_that_does_not_fit_together():
    one = fitted()
    with pytest.raises(tffs.UserError):
        one.fit(ROWS[["load", "heat"]], groups=GROUPS[:-1])
    with pytest.raises(NotFittedError):
        one.get_feature_names_out()


def test_missing_values_and_a_wrong_word_for_them_are_told_apart():
    gap = ROWS.copy()
    gap.iloc[0, 0] = np.nan
    with pytest.raises(tffs.UserError, match="Give missing='median' to fill them in"):
        tffs.FewShotFeatureSelector(2).fit(gap, groups=GROUPS)
    with pytest.raises(
        tffs.UserError, match="missing must be one of error, median, drop_rows. Received: 'mean'"
    ):
        tffs.FewShotFeatureSelector(2, missing="mean").fit(gap, groups=GROUPS)
