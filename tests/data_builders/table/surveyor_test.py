"""A survey of a table is the same whether it is gathered in one go or put together from parts."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from data_builders.table import column_block
from data_builders.table.opening import open_file
from data_builders.table.options import TableOptions
from data_builders.table.surveyor import Surveyor
from data_builders.table.table import Table
from tests.data_builders.table.files import surveyed, write, write_npz

# The first missing, infinite and text cells, tasks and labels stand in different parts.
LINES = [
    "a,1,x,2,-0.0,0.5,",
    "b,2,y,,0.0,0.5,3",
    "b,3,,oops,1,,",
    ",4,y,1,1e39,0.5,",
    "c,5,x,,-3,,",
    "a,6,,ouch,inf,,",
]


@pytest.fixture
def folder(tmp_path):
    for number, line in enumerate(LINES):
        write(tmp_path / f"part{number}.csv", f"shop,id,kind,n,m,o,only\n{line}\n")
    return tmp_path


def opened(folder):
    return Table(TableOptions(str(folder), label_column="kind", ignore_columns=("shop",)))


def merged(table, order):
    total = Surveyor(table.feature_names)
    for unit in order:
        part = Surveyor(table.feature_names)
        for piece in unit.pieces(open_file(unit.path)):
            part.add(piece)
        total.merge(part)
    return total


def test_parts_in_any_order_make_the_survey_of_the_whole(folder):
    table = opened(folder)
    whole = surveyed(str(folder), None, label_column="kind", ignore_columns=("shop",)).to_metadata()
    assert whole["like_id"] == ("id",)
    assert whole["only_task"] == {"only": "part1"}
    assert whole["places"]["n"] == {
        "text": "'oops' in row 1 of part2.csv",
        "missing": "row 1 of part1.csv",
    }
    assert whole["without_label"] == (2, "row 1 of part2.csv")
    assert whole["low"][2] == -3.0
    for order in itertools.islice(itertools.permutations(table.units()), 0, None, 37):
        total = merged(table, order)
        assert total.may_be_ids() == [0]
        assert str(total.survey([0]).to_metadata()) == str(whole)


def test_a_zero_has_no_sign_in_the_survey_whichever_came_first(folder):
    for zeros in ("0.0,-0.0", "-0.0,0.0"):
        path = write(folder.parent / "t.csv", "task,a\n" + "".join(f"t,{zero}\n" for zero in zeros.split(",")))
        survey = surveyed(path)
        assert [str(survey.low[0]), str(survey.high[0])] == ["0.0", "0.0"]


def test_whole_numbers_too_many_for_their_range_are_no_ids(tmp_path):
    for number in range(3):  # different in each file, not in all
        write_npz(tmp_path / f"{number}.npz", x=np.array([[1.0, number], [2.0, number + 10]]))
    table = Table(TableOptions(str(tmp_path)))
    assert merged(table, table.units()).may_be_ids() == [1]
    assert surveyed(str(tmp_path), None).like_id == ("x1",)


def test_a_missing_value_is_told_from_text_that_stands_before_it(tmp_path):
    path = write(tmp_path / "t.csv", "task,a\nt,oops\nt,1\nu,\n")
    assert surveyed(path).places == {"a": {"text": "'oops' in row 1", "missing": "row 3"}}


def test_names_that_are_equal_numbers_are_sorted_by_their_text(tmp_path):
    for order in ("01,1,0", "0,1,01"):
        path = write(tmp_path / "t.csv", "task,a\n" + "".join(f"{task},1\n" for task in order.split(",")))
        assert surveyed(path).task_names == ("0", "01", "1")


def test_row_groups_of_a_parquet_file_are_read_apart_and_small_ones_together(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    columns = {"task": pa.array(["a", "b"] * 10), "n": pa.array(range(20))}
    pa.parquet.write_table(pa.table(columns), path, row_group_size=3)
    monkeypatch.setattr(column_block, "BLOCK_BYTES", 5 * 8 * 2)
    table = Table(TableOptions(str(path), "task"))
    units = table.units()
    assert [unit.row_range.first_row for unit in units] == [1, 7, 13, 19]
    for unit in reversed(units):
        values = np.concatenate([piece.block.x[0] for piece in unit.pieces(open_file(unit.path))])
        np.testing.assert_array_equal(values + 1, unit.row_range.first_row + np.arange(len(values)))
    shares = []
    firsts = [piece.first_row for piece in table.pieces(shares.append)]
    assert firsts == sorted(firsts)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
