"""Points and commas that may separate thousands, in files whose cells are separated by semicolons."""

import numpy as np
import pytest

from data_builders.table import csv_file
from data_builders.table.options import TableOptions
from data_builders.table.table import Table
from tests.data_builders.table.files import rows_of, write
from tffs.data.support_file import read_support
from tffs.errors import UserError


def read(tmp_path, text):
    table = Table(TableOptions(write(tmp_path / "t.csv", text), "task"))
    x, _ = rows_of(table)
    return x, table.problems


def test_a_point_is_not_taken_for_a_decimal_one_in_a_file_with_decimal_commas(tmp_path):
    _, problems = read(tmp_path, "task;a;b\nu;3,5;7\nv;4,5;1.000\n")
    assert problems == [
        "the point of '1.000' (row 2 of t.csv, column 'b') may separate thousands, because other numbers have "
        "decimal commas: write whole numbers without points, and write all decimals with the same mark."
    ]


@pytest.mark.parametrize("number", ["1.000", "-1.234", "+12.345", "1,000", "-23,411"])
def test_a_file_that_shows_no_decimal_mark_is_refused_rather_than_guessed(tmp_path, number):
    _, problems = read(tmp_path, f"task;a\nu;{number}\nv;999\n")
    (problem,) = problems
    assert "no number shows which mark is decimal" in problem
    assert problem.endswith("separate cells by commas, and use decimal points.")


@pytest.mark.parametrize("other", ["0.5", "1.0", "1234.567", "0.125", "1.5e3", ".5"])
def test_a_point_is_decimal_where_another_number_shows_it(tmp_path, other):
    x, problems = read(tmp_path, f"task;a;b\nu;{other};7\nv;1;1.250\n")
    assert problems == []
    np.testing.assert_array_equal(x[:, 1], [7, 1.25])
    assert x[0, 0] == float(other)


@pytest.mark.parametrize("other", ["0,5", "1,0", "1234,567", "1,5e3", ",5"])
def test_a_comma_is_decimal_where_another_number_shows_it(tmp_path, other):
    x, problems = read(tmp_path, f"task;a;b\nu;{other};7\nv;1;23,411\n")
    assert problems == []
    np.testing.assert_array_equal(x[:, 1], [7, 23.411])
    assert x[0, 0] == float(other.replace(",", "."))


def test_a_comma_is_not_taken_for_a_decimal_one_in_a_file_with_decimal_points(tmp_path):
    _, problems = read(tmp_path, "task;a;b\nu;3.5;7\nv;4.5;23,411\n")
    assert problems == [
        "the comma of '23,411' (row 2 of t.csv, column 'b') may separate thousands, because other numbers have "
        "decimal points: write whole numbers without commas, and write all decimals with the same mark."
    ]


def test_a_column_with_a_doubtful_point_is_not_called_text_as_well(tmp_path):
    table = Table(TableOptions(write(tmp_path / "t.csv", "task;a\nu;3,5\nv;1.000\n"), "task"))
    blocks = [piece.block for piece in table.pieces(lambda share: None)]
    assert [block.text for block in blocks] == [[]]
    assert len(table.problems) == 1


def test_three_decimals_are_decimals_where_commas_separate_cells(tmp_path):
    x, problems = read(tmp_path, "task,a\nu,1.000\nv,2.500\n")
    assert problems == []
    np.testing.assert_array_equal(x, [[1], [2.5]])


def test_the_marks_of_a_file_are_gathered_over_its_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "_SMALLEST_BLOCK", 4096)
    monkeypatch.setattr(csv_file, "_ROWS_A_BLOCK", 1)
    rows = ["u;0.5;1"] * 1000 + ["u;0.5;1.000"] + ["u;0.5;1"] * 1000
    _, problems = read(tmp_path, "\n".join(["task;a;b", *rows, ""]))
    assert problems == []
    _, problems = read(tmp_path, "\n".join(["task;a;b", *rows, "v;0,5;1", ""]))
    assert "'1.000' (row 1001 of t.csv, column 'b')" in problems[0]


def test_support_rows_have_decimal_commas_where_one_column_shows_it(tmp_path):
    path = write(tmp_path / "s.csv", "a;b\n3,5;23,411\n")
    np.testing.assert_array_equal(read_support(path, ("a", "b"), print), np.float32([[3.5, 23.411]]))


def test_support_rows_are_refused_as_rows_of_a_table_are(tmp_path):
    path = write(tmp_path / "s.csv", "a;b\n3,5;1.000\n")
    with pytest.raises(UserError, match="the point of '1.000' .row 1 of s.csv, column 'b'. may separate"):
        read_support(path, ("a", "b"), print)
