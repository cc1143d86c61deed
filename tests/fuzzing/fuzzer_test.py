"""The fuzzer itself: it notices what must not happen, and makes it small."""

import numpy as np
import pytest

from fuzzing.broken import Broken, check_sentence, signature_of
from fuzzing.case import Case
from fuzzing.oracles.csv_cells import Rows, compare_csv
from fuzzing.shrinking import shrunk


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        None,
        " \n",
        "two\nlines",
        "Traceback (most recent call last)",
        "ValueError('x')",
        "expected <class 'int'>",
        "<ast.Name object at 0x7fa6d3e00b50>",
        "x" * 5000,
    ],
)
def test_what_is_no_sentence_for_people_is_noticed(sentence):
    with pytest.raises(Broken):
        check_sentence(sentence)


def test_a_list_of_reasons_is_a_sentence():
    check_sentence(
        "t.csv cannot be trained on, for 2 reasons:\n  - the table has no rows.\n  - 'a\x1b' is text."
    )


def test_numbers_that_others_read_otherwise_are_noticed():
    with pytest.raises(Broken, match="was read as 9.0, not 2.0"):
        compare_csv(b"a,b\n1,2\n", _rows([[1.0, 9.0]]))
    with pytest.raises(Broken, match="2 rows were read, but there are 1"):
        compare_csv(b"a,b\n1,2\n", _rows([[1.0, 2.0], [1.0, 2.0]]))


def test_where_others_disagree_nothing_is_said():
    compare_csv(b'a,b\n1"2"3,2\n4,5,6\n', _rows([[1.0, 9.0]]))


def test_a_case_is_made_small_as_long_as_the_fault_shows():
    case = Case("csv", {"task_column": "task", "label_column": "y"}, b"0123456789" * 50 + b"!" + b"x" * 300)
    small = shrunk(case, lambda other: b"!" in other.content and "label_column" in other.asked)
    assert small == Case("csv", {"label_column": "y"}, b"!")


def test_a_case_is_read_back_from_its_file():
    case = Case("csv", {"feature_columns": "größe|a&b\n"}, b"\x00\nq")
    assert Case.from_bytes(case.to_bytes()) == case
    assert Case.from_bytes(b"no case") is None


def test_the_same_fault_has_one_name():
    def failed(number):
        with pytest.raises(Broken) as caught:
            check_sentence(f"row {number}\nof '{number}x'")
        return signature_of(caught.value)

    assert failed(1) == failed(23)


def _rows(x):
    return Rows(("a", "b"), np.array(x), np.zeros(np.shape(x), bool))
