"""What people give to FewShotFeatureSelector: frames, arrays, groups and parameters of all kinds."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import tffs
from tests.estimator.small import FEATURES, NEW, QUICK, fitted, machines, unfitted
from tffs import FewShotFeatureSelector

ROWS, GROUPS = machines()


def test_columns_are_taken_by_their_names(selector, new):
    permuted = NEW[FEATURES[::-1]]
    again = selector.adapt(permuted.head(4))
    assert list(again.order_) == list(new.order_)
    np.testing.assert_array_equal(again.transform(permuted), new.transform(NEW))


def test_a_label_that_is_still_in_the_frame_is_not_read_and_said(selector, new):
    with pytest.warns(UserWarning, match="columns that are no features and are not read: 'fault'"):
        again = selector.adapt(NEW.head(4).assign(fault=1))
    assert list(again.order_) == list(new.order_)
    with pytest.raises(tffs.UserError, match="support rows lack 'heat'"):
        selector.adapt(NEW.drop(columns="heat"))


@pytest.mark.parametrize(
    "rows",
    [
        NEW.head(4).to_numpy(),
        NEW.head(4).to_numpy().tolist(),
        NEW.head(4).astype("float32"),
        NEW.head(4).astype(object),
    ],
    ids=["array", "lists", "float32", "objects"],
)
def test_arrays_lists_and_other_types_are_taken(selector, new, rows):
    again = selector.adapt(rows)
    assert list(again.order_) == list(new.order_)
    assert again.novelty_ == pytest.approx(new.novelty_, abs=1e-4)


@pytest.mark.parametrize(
    "one", [NEW.head(1), NEW.iloc[0], NEW.iloc[0].tolist()], ids=["frame", "series", "list"]
)
def test_one_row_is_enough(selector, one):
    assert list(selector.adapt(one).order_) == list(selector.adapt(NEW.head(1)).order_)


@pytest.mark.parametrize("nothing", [None, NEW.head(0), np.zeros((0, 6))], ids=["none", "frame", "array"])
def test_no_rows_are_what_the_source_tasks_say(selector, nothing):
    none = selector.adapt(nothing)
    assert list(none.order_) == list(selector.order_)
    assert none.novelty_ is None


def test_rows_in_other_units_are_noted(selector):
    with pytest.warns(UserWarning, match="heat"):
        selector.adapt(NEW.head(4).assign(heat=NEW["heat"] * 1000))


def test_rows_without_groups_are_one_task_and_that_is_said():
    with pytest.warns(UserWarning, match="No groups were given"):
        one = FewShotFeatureSelector(2, folds=3, random_state=0, method_params=QUICK).fit(ROWS)
    assert one.get_support().sum() == 2


def test_missing_values_are_refused_or_filled_in():
    holes = ROWS.copy()
    holes.iloc[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        FewShotFeatureSelector(2, method_params=QUICK).fit(holes, groups=GROUPS)
    for missing in ("median", "drop_rows"):
        filled = unfitted(missing=missing).fit(holes, groups=GROUPS)
        assert filled.get_support().sum() == 2
    assert np.isfinite(fitted(missing="median").adapt(holes.iloc[3:5]).expected_error_)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_features_to_select": 0}, "n_features_to_select must be a whole number"),
        ({"n_features_to_select": 1.5}, "n_features_to_select must be a whole number"),
        ({"n_features_to_select": "all"}, "n_features_to_select must be a whole number"),
        ({"method": "magic"}, "method must be one of"),
        ({"scaling": "log"}, "scaling"),
        ({"missing": "guess"}, "missing"),
        ({"method_params": {"stepz": 1}}, "method_params has 'stepz'"),
        ({"method_params": {"noise": "off"}}, "'noise', which method='posterior' does not use"),
        ({"feature_weights": [1.0, 2.0]}, "feature_weights must be 6 finite numbers"),
        ({"feature_weights": {"heat": -1.0}}, "feature_weights must be 6 finite numbers"),
        ({"feature_weights": {"cold": 1.0}}, "feature_weights names 'cold'"),
        ({"include": ["haet"]}, "include names 'haet', which is no feature"),
        ({"costs": {"haet": 1.0}}, "costs names 'haet', which is no feature"),
        ({"checkpoint_dir": "x", "random_state": None}, "checkpoint_dir needs an int as random_state"),
    ],
)
def test_a_parameter_that_cannot_be_is_named(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        fitted(**parameters)


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        (GROUPS[:-1], "X has 150 rows, groups has 149"),
        (GROUPS.where(GROUPS != "m1"), "groups is missing for row 26"),
    ],
)
def test_groups_must_say_of_each_row_whose_it_is(groups, sentence):
    with pytest.raises(tffs.UserError, match=sentence):
        FewShotFeatureSelector(2, method_params=QUICK).fit(ROWS, groups=groups)


def test_missing_cells_are_not_scored():
    holes = ROWS.copy()
    holes.iloc[::5, 0] = np.nan
    assert -1.0 < fitted(missing="median").fit(holes, groups=GROUPS).score(holes, groups=GROUPS) < 0.0


@pytest.mark.parametrize("groups", [GROUPS[:-1], GROUPS.where(GROUPS != "m1")])
def test_score_checks_groups_as_fit_does(selector, groups):
    with pytest.raises(tffs.UserError, match="groups"):
        selector.score(ROWS, groups=groups)


def test_names_may_come_from_a_generator_or_be_one_text(selector):
    limited = selector.adapt(None, include=(name for name in ["age", "heat"]))
    assert list(limited.order_[:2]) in (["age", "heat"], ["heat", "age"])
    assert set(limited.set_params(n_features_to_select=3).get_feature_names_out()) > {"age", "heat"}
    assert selector.adapt(None, include="age").order_[0] == "age"


def test_rows_that_were_adapted_to_are_kept_as_they_were(selector):
    rows = NEW.head(4).to_numpy().copy()
    adapted = selector.adapt(rows)
    before = adapted.reconstruct(NEW[["heat"]].head(2), interval=None)
    rows[:] = 0.0
    np.testing.assert_allclose(adapted.reconstruct(NEW[["heat"]].head(2), interval=None), before, rtol=1e-5)


def test_features_that_32_bits_hardly_tell_apart_are_warned_of():
    with pytest.warns(UserWarning, match="'load'.* vary so little beside their size"):
        fitted().fit(ROWS.assign(load=ROWS["load"] + 1e6), groups=GROUPS)


def test_frames_with_numbers_as_names_are_taken_by_position():
    numbered = ROWS.set_axis(range(6), axis=1)
    one = fitted().fit(numbered, groups=GROUPS)
    new = one.adapt(numbered.head(3))
    assert list(new.get_feature_names_out()) == [f"x{place}" for place in np.flatnonzero(new.get_support())]
    values = new.transform(numbered)
    np.testing.assert_array_equal(new.inverse_transform(values)[:, new.get_support()], values)
    assert new.reconstruct(numbered.head(2), interval=None).shape == (2, 6)


@pytest.mark.parametrize(
    "groups",
    [
        np.repeat(["none", "folds", "a", "b", "c", "d"], 25),
        [1] * 75 + ["1"] * 75,
        [(1, "a")] * 50 + [(1, "b")] * 50 + [(2, "a")] * 50,
        np.repeat(range(6), 25),
    ],
    ids=["reserved", "mixed", "tuples", "numbers"],
)
def test_tasks_may_be_called_anything(groups):
    tasks = unfitted().fit(ROWS, groups=groups).task_errors_
    assert set(tasks.index) == set(groups)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"folds": "a"}, "folds must be a whole number"),
        ({"folds": 2.7}, "folds must be a whole number"),
        ({"method_params": "off"}, "method_params must be a dict"),
        ({"feature_weights": ["x"] * 6}, "feature_weights must be 6 finite numbers"),
        (
            {"method": "concrete", "n_features_to_select": "auto", "method_params": {}},
            "'auto' is for method='posterior'",
        ),
    ],
)
def test_parameters_of_another_kind_are_named(wrong, sentence):
    with pytest.raises(tffs.UserError, match=sentence):
        fitted(**wrong)


@pytest.mark.parametrize("rows", [3, "rows", csr_array(np.eye(6))], ids=["number", "text", "sparse"])
def test_what_are_no_rows_is_refused(selector, rows):
    with pytest.raises(tffs.UserError, match="Rows must be a DataFrame, a Series, or an array or lists"):
        selector.adapt(rows)


def test_a_warning_points_at_the_line_of_the_person(selector):
    with pytest.warns(UserWarning, match="not read") as caught:
        selector.adapt(NEW.head(4).assign(fault=1))
    assert caught[0].filename == __file__


def test_a_column_without_a_value_is_named():
    with pytest.raises(tffs.UserError, match="X has no value of 'heat': leave these columns out"):
        fitted(missing="median").fit(ROWS.assign(heat=np.nan), groups=GROUPS)


def test_only_the_selected_columns_of_a_frame_are_inferred_from(new):
    by_frame = new.inverse_transform(NEW)
    np.testing.assert_allclose(by_frame, new.inverse_transform(new.transform(NEW)))
    with pytest.raises(tffs.UserError, match="X lacks .*, which is selected"):
        new.inverse_transform(NEW.drop(columns=new.get_feature_names_out()[0]))
