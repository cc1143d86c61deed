import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest

from data_builders.table.cells import MISSING, numbers, texts

NAN = float("nan")


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1.0, -2.5]),
        pa.array(["1", "-2.5"]),
        pa.array([" 1", "-2.5 "]),
        pa.array(["+1", "-2.5"]),
        pa.array(["1e0", "-25E-1"]),
        pa.array(["1.", "-2.500"]),
        pa.array([decimal.Decimal("1.0"), decimal.Decimal("-2.5")]),
        pa.array(["1", "-2.5"]).dictionary_encode(),
        pa.chunked_array([["1"], ["-2.5"]]),
    ],
)
def test_numbers_are_read_however_they_are_written(column):
    values, text = numbers(column)
    np.testing.assert_array_equal(values, [1.0, -2.5])
    assert text is None


def test_whole_numbers_and_truth_values_are_numbers():
    np.testing.assert_array_equal(numbers(pa.array([2**40, -3]))[0], [2.0**40, -3])
    np.testing.assert_array_equal(numbers(pa.array([True, False]))[0], [1, 0])
    np.testing.assert_array_equal(numbers(pa.array(["True", "false", "7"]))[0], [1, 0, 7])


def test_missing_values_are_nan_and_no_text():
    column = pa.array([*MISSING, None, "5"])
    values, text = numbers(column)
    np.testing.assert_array_equal(values, [NAN] * (len(MISSING) + 1) + [5])
    assert text is None
    np.testing.assert_array_equal(numbers(pa.nulls(2))[0], [NAN, NAN])


def test_infinity_is_a_number_that_the_survey_finds():
    np.testing.assert_array_equal(numbers(pa.array(["inf", "-Infinity", "1"]))[0], [np.inf, -np.inf, 1])


@pytest.mark.parametrize(
    "cell", ["x", "1,5", "12%", "1_000", "0x1F", "--3", "+-3", "++3", "+", "1 2", "1e", "nope"]
)
def test_text_is_found_between_numbers(cell):
    values, text = numbers(pa.array(["1", cell, "", "2"]))
    np.testing.assert_array_equal(values, [1, NAN, NAN, 2])
    np.testing.assert_array_equal(text, [False, True, False, False])


def test_dates_are_no_numbers():
    values, text = numbers(pa.array([datetime.date(2020, 1, 1), None]))
    assert np.isnan(values).all()
    np.testing.assert_array_equal(text, [True, False])


def test_names_are_text_without_surrounding_spaces_and_na_is_a_name():
    assert texts(pa.array([" shop 1 ", "NA", "", None])).to_pylist() == ["shop 1", "NA", None, None]
    assert texts(pa.array([3, 4])).to_pylist() == ["3", "4"]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["NaN", "a", " nan "]),
        pa.array(["-nan", "a", "<NA>"]),
        pa.array(["#N/A", "a", None]),
        pa.array(["NaN", "a", "NaN"]).dictionary_encode(),
    ],
)
def test_not_a_number_is_no_name(column):
    assert texts(column).to_pylist() == [None, "a", None]
    assert texts(pa.array([NAN, 1.5])).to_pylist() == [None, "1.5"]


def test_decimal_commas_are_read_where_semicolons_separate():
    column = pa.array(["3,14", "-,5", "2", "1,5e3", "1,234", "x,5", ""])
    values, text = numbers(column, decimal_comma=True)
    np.testing.assert_array_equal(values, [3.14, -0.5, 2, 1500, 1.234, NAN, NAN])
    np.testing.assert_array_equal(np.flatnonzero(text), [5])
    assert numbers(column)[1].sum() == 5


@pytest.mark.parametrize("cells", [["1,5", "2.5"], ["-1,000,000", "3"], ["1.000.000", "3"]])
def test_numbers_with_several_marks_and_columns_with_both_are_text(cells):
    assert numbers(pa.array(cells), decimal_comma=True)[1].any()
    assert numbers(pa.array(["0,125", "0,250"]), decimal_comma=True)[1] is None
