import gzip

import numpy as np
import pandas as pd
import pytest

from tffs.data import values_file
from tffs.data.values_file import ValuesFile
from tffs.errors import UserError

NAMES = ("Jitter(%)", "PPE", "a b")


@pytest.fixture
def open_values(tmp_path):
    def write_and_open(content, name="values.csv"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
        return ValuesFile(str(path), NAMES)

    return write_and_open


def joined(arrays):
    return [cell for array in arrays for cell in array.to_pylist()]


def whole(file):
    """Give all parts as lists: the kept columns, the values and their texts."""
    parts = list(file.parts())
    kept = [joined(part.kept[i] for part in parts) for i in range(len(file.kept))]
    written = {name: joined(part.written[name] for part in parts) for name in file.measured}
    return kept, pd.concat([part.values for part in parts]).to_numpy(), written


@pytest.mark.parametrize("name", ["values.csv", "values.csv.gz"])
def test_measured_values_and_other_columns_are_kept_as_they_are_written(open_values, name):
    file = open_values("id,PPE,who,Jitter(%)\n007,0.10,Ann,\n8,,,1e-3\n9, +5 ,NA,2.000000000000001\n", name)
    kept, values, written = whole(file)
    assert (file.kept, file.measured, file.rows) == (("id", "who"), ("PPE", "Jitter(%)"), 3)
    assert kept == [["007", "8", "9"], ["Ann", None, "NA"]]
    np.testing.assert_array_equal(values, [[0.1, np.nan], [np.nan, 1e-3], [5, 2.000000000000001]])
    assert written == {"PPE": ["0.10", None, "+5"], "Jitter(%)": [None, "1e-3", "2.000000000000001"]}


def test_numbers_that_not_every_program_reads_are_written_anew(open_values):
    _, _, written = whole(open_values("PPE;a b\n3,25;true\nNA;?\n"))
    assert [written["PPE"][1], written["a b"][1]] == [None, None]
    assert (float(written["PPE"][0]), float(written["a b"][0])) == (3.25, 1.0)


def test_parquet_and_npz_files_are_read_as_well(tmp_path):
    frame = pd.DataFrame(
        {"id": [1, 2], "PPE": np.array([0.1, np.nan], np.float32), "when": pd.to_datetime(["2026-01-02"] * 2)}
    )
    frame.to_parquet(tmp_path / "v.parquet")
    kept, _, written = whole(ValuesFile(str(tmp_path / "v.parquet"), NAMES))
    assert (kept[0], written) == (["1", "2"], {"PPE": ["0.1", None]})
    assert kept[1][0].startswith("2026-01-02")
    np.savez(tmp_path / "v.npz", x=[[0.1, 7], [np.nan, 8]], feature_names=["PPE", "other"], task=["t", "u"])
    kept, _, written = whole(ValuesFile(str(tmp_path / "v.npz"), NAMES))
    assert (kept[1], written) == (["t", "u"], {"PPE": ["0.1", None]})


def test_many_rows_are_given_in_parts(open_values, monkeypatch):
    monkeypatch.setattr(values_file, "MOST_CELLS", 6)
    file = open_values("id,PPE\n" + "".join(f"{row},{row}.5\n" for row in range(5)))
    assert [len(part.values) for part in file.parts()] == [2, 2, 1]
    kept, _, written = whole(file)
    assert (kept, written) == ([["0", "1", "2", "3", "4"]], {"PPE": [f"{row}.5" for row in range(5)]})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,ppe\n1,2\n", "has none of the model's features as a column, which are 'Jitter.*, but 'id', 'ppe'"),
        ("PPE\n", "has no rows"),
        ("PPE,id,PPE\n1,2,3\n", "has the column 'PPE' more than once"),
        ("id,PPE\n1,2\n1,low\n", "row 2, column 'PPE': expected a number or an empty cell, but found 'low'"),
        ("id,PPE\n1,2\n1,inf\n", "row 2, column 'PPE' is infinite"),
        ("id,PPE\n1,1e300\n", "row 1, column 'PPE' is infinite or too large"),
        ("id,PPE\n1\n", "do not have 2 values"),
    ],
)
def test_what_is_wrong_with_a_file_is_known_before_it_is_used(open_values, content, message):
    with pytest.raises(UserError, match=message):
        open_values(content)


def test_a_file_without_names_or_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UserError, match="has no names for its columns"):
        ValuesFile(str(tmp_path / "v.npy"), NAMES)
    with pytest.raises(UserError, match=r"--values=.*none.csv is not there"):
        ValuesFile(str(tmp_path / "none.csv"), NAMES)
