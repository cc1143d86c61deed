import decimal

import numpy as np
import pandas as pd
import pytest

from tffs.errors import UserError
from tffs.serving.frames import lacking, numbers


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 2], dtype="uint8"),
        pd.Series([1.0, 2.0], dtype="float64"),
        pd.Series([1, 2], dtype="Int64"),
        pd.Series([1.0, 2], dtype=object),
        pd.Series([decimal.Decimal(1), decimal.Decimal(2)]),
    ],
)
def test_every_kind_of_number_is_taken(column):
    taken = numbers(pd.DataFrame({"x": column, "y": [3, 4]}), ["y", "x"], "rows")
    np.testing.assert_array_equal(taken, [[3, 1], [4, 2]])
    assert taken.dtype == np.float32


@pytest.mark.parametrize("column", [pd.Series([None, 2.0], dtype=object), pd.Series([None, 2], dtype="Int64")])
def test_what_is_missing_is_nan(column):
    np.testing.assert_array_equal(numbers(pd.DataFrame({"x": column}), ["x"], "rows"), [[np.nan], [2]])


@pytest.mark.parametrize(
    "column",
    [["1", "2"], [1, "b"], pd.to_datetime(["2020-01-01", "2020-01-02"]), [1j, 2j], pd.Categorical([1, 2])],
)
def test_column_of_something_else_is_refused_by_name(column):
    with pytest.raises(UserError, match="The rows must be numbers, but the column 'x' holds something else"):
        numbers(pd.DataFrame({"y": [1, 2], "x": column}), ["x", "y"], "rows")


def test_column_that_is_there_twice_is_refused_if_it_is_wanted():
    frame = pd.DataFrame([[1, 2, 3]], columns=["x", "x", "y"])
    with pytest.raises(UserError, match="have the column 'x' more than once"):
        numbers(frame, ["y", "x"], "rows")
    assert numbers(frame, ["y"], "rows").tolist() == [[3]]


def test_columns_that_are_numbered_are_found_by_their_digits():
    frame = pd.DataFrame([[1, 2]])
    assert lacking(frame, ["1", "2"]) == ["2"]
    assert numbers(frame, ["1", "0"], "rows").tolist() == [[2, 1]]


@pytest.mark.parametrize("array", [[["1"]], [[1], [2, 3]], [[None]], [[1j]]])
def test_array_of_something_else_is_refused(array):
    with pytest.raises(UserError, match="The rows must be"):
        numbers(array, ["x"], "rows")
