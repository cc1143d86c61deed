import itertools

import numpy as np
import pytest

from data_builders.table.equal_features import EqualFeatures
from data_builders.table.findings import findings
from tests.data_builders.table.files import surveyed, write

NAN = np.nan


def gathered(*blocks):
    equal = EqualFeatures(len(blocks[0]))
    for block in blocks:
        equal.add(np.asarray(block, float))
    return equal


def test_features_are_grouped_by_all_their_values():
    assert gathered([[1, 2], [1, 2], [1, 3], [1, 2], [1, 3]]).groups() == [[0, 1, 3], [2, 4]]
    assert gathered([[1], [1], [1]], [[2], [3], [2]]).groups() == [[0, 2]]
    assert gathered([[1], [1], [2]], [[2], [3], [2]]).groups() == []


def test_missing_values_equal_each_other_and_so_do_both_zeros():
    other_nan = np.array([0x7FF8_0000_0000_0001], np.uint64).view(np.float64)[0]
    assert gathered([[NAN, 0.0], [other_nan, -0.0], [NAN, 1.0]]).groups() == [[0, 1]]


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_features_are_no_group(count):
    equal = gathered(np.ones((count, 3)))
    equal.merge(gathered(np.ones((count, 2))))
    assert equal.groups() == []


def test_parts_merged_in_any_order_are_the_whole(rng):
    x = rng.integers(0, 2, (40, 12)).astype(float)
    whole = gathered(x).groups()
    assert whole == gathered(x[:, :5], x[:, 5:]).groups()
    parts = [x[:, :2], x[:, 2:3], np.empty((40, 0)), x[:, 3:]]
    for order in itertools.permutations(parts):
        merged = EqualFeatures(40)
        for part in order:
            merged.merge(gathered(part))
        assert merged.groups() == whole
    assert len(gathered(x[:, :4]).groups()) > 1


def test_identical_columns_are_named_and_constant_or_empty_ones_are_not(tmp_path):
    lines = ["task,a,b,copy of a,one,two,none,nothing,b again,a too"]
    lines += [f"{'uv'[i % 2]},{i},{i % 3},{i}.0,1,1,,,{i % 3},{i}" for i in range(30)]
    survey = surveyed(write(tmp_path / "t.csv", "\n".join(lines) + "\n"))
    (note,) = [note for note in findings(survey, "error").notes if "same value" in note]
    assert note == (
        "3 column(s) have the same value as another in every row: 'copy of a', 'a too' are 'a'; "
        "'b again' is 'b'; a selection may name any of them; they may be left out with "
        "--ignore_columns='copy of a,a too,b again'."
    )


def test_many_identical_columns_are_counted(tmp_path):
    columns = [f"{letter}{copy}" for letter in "abcdefg" for copy in range(3)]
    rows = [[f"{(i * (ord(name[0]) - 96)) % 11}" for name in columns] for i in range(30)]
    text = "\n".join(
        [",".join(["task", *columns]), *(",".join(["uv"[i % 2], *row]) for i, row in enumerate(rows))]
    )
    (note,) = [
        n for n in findings(surveyed(write(tmp_path / "t.csv", text + "\n")), "error").notes if "same" in n
    ]
    assert note.startswith("14 column(s) have the same value as another in every row: 'a1', 'a2' are 'a0'; ")
    assert "; and so on in 2 more groups; a selection may name any of them" in note
