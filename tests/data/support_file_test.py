import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tffs.data.support_file import read_support
from tffs.errors import UserError

NAMES = ("Jitter(%)", "PPE", "a b")


@pytest.fixture
def notes():
    return []


@pytest.fixture
def read(tmp_path, notes):
    def write_and_read(content, name="support.csv"):
        path = tmp_path / name
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            np.save(path, content)
        return read_support(str(path), NAMES, notes.append)

    return write_and_read


def test_columns_may_come_in_any_order(read, notes):
    rows = read("PPE,a b,Jitter(%)\n2,3,1\n5,6.5,-4e-1\n")
    np.testing.assert_allclose(rows, [[1, 2, 3], [-0.4, 5, 6.5]])
    assert rows.dtype == np.float32
    assert notes == []


def test_extra_columns_are_ignored_with_a_note(read, notes):
    np.testing.assert_allclose(read("PPE,name,a b,Jitter(%)\n2,Ann,3,1\n"), [[1, 2, 3]])
    assert notes == ["Ignoring 1 column(s) that the model does not know: 'name'."]


def test_byte_order_mark_quotes_blank_lines_and_windows_line_ends(read):
    np.testing.assert_allclose(read('\ufeff"Jitter(%)",PPE,a b\r\n1,2,3\r\n\r\n'), [[1, 2, 3]])


def test_npy_rows_are_in_the_models_order(read):
    rows = np.array([[1, 2, 3]], np.float64)
    np.testing.assert_array_equal(read(rows, "support.npy"), rows)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Jitter(%),PPE\n1,2\n", "lacks 1 of the model's 3 features: 'a b'"),
        ("", "first line names the columns, but that line is empty"),
        ("Jitter(%),PPE,a b\n", "has no rows"),
        ("Jitter(%),PPE,a b\n1,x,3\n", "row 1, column 'PPE': expected a number, but found 'x'"),
        ("Jitter(%),PPE,a b\n1,nan,3\n", "row 1, column 'PPE' is missing"),
        ("Jitter(%),PPE,a b\n1,2,3\n1,,3\n", "row 2, column 'PPE' is missing"),
        ("Jitter(%),PPE,a b\n1,1_0,3\n", "column 'PPE': expected a number, but found '1_0'"),
        ("Jitter(%),PPE,a b\n1,2\n", "do not have 3 values as the first line has, first line 2 with 2"),
        ("Jitter(%),PPE,a b,PPE\n1,2,3,4\n", "has the column 'PPE' more than once"),
        (
            "Jitter(%),PPE,a b\n1,1e300,3\n",
            "row 1, column 'PPE' is infinite or too large for 32-bit numbers: check its unit",
        ),
        (b"\xff\xfe\x00\x01", "must be text in UTF-8"),
    ],
)
def test_bad_csv_gets_one_sentence(read, content, message):
    with pytest.raises(UserError) as caught:
        read(content)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.zeros((2, 4)), "rows of 3 features, but its shape is [2, 4]"),
        (np.zeros(3), "its shape is [3]"),
        (np.array([[1.0, np.nan, 2.0]]), "row 1, column 'PPE' is missing"),
        (np.zeros((0, 3)), "has no rows"),
        (np.array([["a", "b", "c"]]), "one array of numbers"),
        (np.array([[1, {}, 3]], object), "is not a .npy file of numbers"),
        (b"\x93NUMPY\x01\x00v", "is not a .npy file of numbers"),
        (b"", "is not a .npy file of numbers"),
        (b"PK\x03\x04 not a zip", "is not a .npy file of numbers"),
    ],
)
def test_bad_npy_gets_one_sentence(read, content, message):
    with pytest.raises(UserError) as caught:
        read(content, "support.npy")
    assert message in str(caught.value)


def test_only_a_csv_is_asked_for_a_first_line(tmp_path):
    path = str(tmp_path / "support.parquet")
    pq.write_table(pa.table({"PPE": [1.0]}), path)
    with pytest.raises(
        UserError, match="features: 'Jitter.%.', 'a b'; give a column for each .the first line of"
    ):
        read_support(path, NAMES, print)


def test_missing_file_and_folder_get_one_sentence(tmp_path):
    with pytest.raises(UserError, match="is not there"):
        read_support(str(tmp_path / "no.csv"), NAMES, print)
    with pytest.raises(UserError, match="must be a file, but it is a folder"):
        read_support(str(tmp_path), NAMES, print)
