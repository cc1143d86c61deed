import numpy as np
import pandas as pd
import pytest

from tests.serving.client.twin import Model
from tffs.errors import UserError

ROWS = pd.DataFrame({"a": [0.1, 1.0], "b": [2.0, 3.0], "c": [4.0, 5.0], "d": [6.0, 7.0]})


def test_description_is_what_the_model_says_and_is_asked_once(client, twin):
    assert client.describe().feature_names == ("a", "b", "c", "d")
    assert client.describe().num_selected == 2
    assert twin.requests == ["metadata", "describe"]


def test_selection_is_a_frame_with_one_line_a_selector(client):
    selection = client.select(ROWS)
    expected = pd.DataFrame(
        {
            "feature": ["c", "a"],
            "index": np.array([2, 0], np.int32),
            "score": np.array([0.1, 2.0], np.float32),
        },
        index=pd.RangeIndex(1, 3, name="selector"),
    )
    pd.testing.assert_frame_equal(selection, expected, check_dtype=False)
    assert selection.attrs["version"] == 1


def test_columns_are_found_by_name_in_any_order_and_among_others(client, twin):
    shuffled = ROWS[["d", "b", "c", "a"]].assign(when=["today", "yesterday"])
    client.select(shuffled)
    np.testing.assert_array_equal(twin.inputs["support"], ROWS.to_numpy(np.float32)[None])


def test_array_is_taken_in_the_model_s_order(client, twin):
    client.select(ROWS.to_numpy())
    np.testing.assert_array_equal(twin.inputs["support"], ROWS.to_numpy(np.float32)[None])


def test_every_float32_arrives_as_it_is(client, twin, rng):
    rows = rng.integers(0, 2**31, (2, 4)).astype(np.uint32).view(np.float32)
    rows = np.where(np.isfinite(rows), rows, 1 / 3)
    rows[0] = 16777217 * 64, 1e-45, np.finfo(np.float32).max, -0.0
    client.select(rows)
    np.testing.assert_array_equal(twin.inputs["support"][0].view(np.uint32), rows.view(np.uint32))


def test_fewer_rows_are_sent_as_such_to_a_model_of_several_sizes(client, twin):
    twin.versions[1] = Model(support_sizes=(1, 2))
    assert client.select(ROWS.iloc[:1])["feature"].tolist() == ["c", "a"]
    assert twin.requests[-1] == "select_masked"
    np.testing.assert_array_equal(twin.inputs["support_size"], [1])
    with pytest.raises(UserError, match="To reconstruct, this model takes exactly 2 support rows. Received: 1"):
        client.reconstruct(ROWS.iloc[:1], ROWS)


def test_missing_values_arrive_as_such_where_the_model_fills_them_in(client, twin):
    twin.versions[1] = Model(missing="median")
    client.select(ROWS.assign(b=[None, 3.0]))
    np.testing.assert_array_equal(np.isnan(twin.inputs["support"][0]), ROWS.to_numpy() == 2.0)


def test_reconstruction_finds_the_measured_features_by_name_and_keeps_the_index(client):
    values = pd.DataFrame({"a": [10.0, 20.0], "note": ["x", "y"], "c": [30.0, 40.0]}, index=["mon", "tue"])
    reconstruction = client.reconstruct(ROWS, values)
    expected = pd.DataFrame(
        {"a": [10.0, 20.0], "b": [0.0, 0.0], "c": [30.0, 40.0], "d": [0.0, 0.0]},
        index=["mon", "tue"],
        dtype=np.float32,
    )
    pd.testing.assert_frame_equal(reconstruction, expected)
    assert reconstruction.attrs["version"] == 1


def test_reconstruction_takes_an_array_in_the_order_of_the_selection(client):
    reconstruction = client.reconstruct(ROWS, np.array([[30.0, 10.0]]))
    assert reconstruction.to_dict("records") == [{"a": 10.0, "b": 0.0, "c": 30.0, "d": 0.0}]


def test_feature_that_is_chosen_twice_is_taken_twice(client, twin):
    twin.versions[1] = Model(chosen=(1, 3, 1))
    client.reconstruct(ROWS, pd.DataFrame({"d": [5], "b": [6]}))
    np.testing.assert_array_equal(twin.inputs["values"], [[[6.0, 5.0, 6.0]]])


def test_an_array_that_contradicts_itself_on_a_feature_chosen_twice_is_refused(client, twin):
    twin.versions[1] = Model(chosen=(1, 3, 1))
    with pytest.raises(UserError, match="Selectors 1 and 3 both chose 'b', but columns 1 and 3 of the values"):
        client.reconstruct(ROWS, [[1.0, 2.0, 3.0]])
    assert "reconstruct" not in twin.requests


def test_more_rows_than_a_server_takes_go_in_several_requests(client, twin):
    values = pd.DataFrame({"a": np.arange(9000), "c": -np.arange(9000)}, index=np.arange(9000)[::-1])
    reconstruction = client.reconstruct(ROWS, values)
    pd.testing.assert_frame_equal(reconstruction[["a", "c"]], values.astype(np.float32))
    assert twin.requests.count("reconstruct") == 3


def test_classes_have_their_names(client, twin):
    twin.versions[1] = Model(classes=("good", "worn"))
    probabilities = client.classify(ROWS, pd.DataFrame({"a": [1.0], "c": [0.25]}, index=[7]))
    pd.testing.assert_frame_equal(
        probabilities, pd.DataFrame({"good": [0.25], "worn": [0.75]}, index=[7], dtype=np.float32)
    )


def test_model_is_not_asked_for_what_it_cannot_do(client, twin):
    with pytest.raises(UserError, match="does not classify, it can reconstruct"):
        client.classify(ROWS, ROWS)
    assert twin.requests == ["metadata", "describe"]


@pytest.mark.parametrize(
    ("rows", "fragment"),
    [
        (ROWS.drop(columns=["b", "d"]), "lack 2 of the model's 4 features: 'b', 'd'"),
        (ROWS.iloc[:1], "takes 2 support rows of 4 features. Received: 1 rows of 4"),
        (ROWS.assign(b=[np.nan, 1.0]), "'b' in row 1 is missing"),
        (
            ROWS.assign(d=[1.0, 1e300]),
            "'d' in row 2 is infinite or too large for 32-bit numbers: check its unit",
        ),
        (np.zeros((2, 3)), "must be of shape \\[rows, 4\\]. Received: the shape \\[2, 3\\]"),
    ],
)
def test_wrong_rows_are_refused_before_they_are_sent(client, twin, rows, fragment):
    with pytest.raises(UserError, match=fragment):
        client.select(rows)
    assert "select" not in twin.requests


@pytest.mark.parametrize(
    ("values", "fragment"),
    [
        (pd.DataFrame({"a": [1.0], "b": [2.0]}), "selects 'c', 'a' for these rows, but the values lack 'c'"),
        (pd.DataFrame({"a": [1.0], "c": [np.nan]}), "'c' in row 1 is missing"),
        (np.array([[1.0, 1e39]]), "'a' in row 1 is infinite or too large for 32-bit numbers: check its unit"),
        (np.zeros((3, 1)), "must be of shape \\[rows, 2\\]"),
        (np.zeros((0, 2)), "have no rows"),
    ],
)
def test_wrong_values_are_refused_before_they_are_sent(client, twin, values, fragment):
    with pytest.raises(UserError, match=fragment):
        client.reconstruct(ROWS, values)
    assert "reconstruct" not in twin.requests
