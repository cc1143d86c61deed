"""Files that are made, or happen, to fill the memory end in a sentence."""

import gzip
import io
import resource
import subprocess
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from data_builders.table import column_block, csv_file, unpacking
from data_builders.table.options import TableOptions
from data_builders.table.table import Table
from tests.data_builders.table.files import rows_of, surveyed, write, write_npz
from tests.limited import limited
from tffs.data.support_file import read_support
from tffs.errors import UserError

GB = 2**30


def table(path, task_column="task"):
    return Table(TableOptions(str(path), task_column))


def write_bomb(path, start, part, times):
    """Write a gzipped file of `start` and then `part` many times over, packed once."""
    path.write_bytes(gzip.compress(start) + gzip.compress(part) * times)
    return str(path)


def write_npy(file, shape, values, dtype="<f4"):
    np.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": shape})
    file.write(np.zeros(values, dtype).tobytes())


@pytest.mark.parametrize("column", ["task", "x"])
def test_a_giant_cell_gets_one_sentence(tmp_path, column):
    cells = {"task": "v", "x": "2", column: "9" * (12 * 2**20)}
    path = write(tmp_path / "t.csv", f"task,x\nu,1\n{cells['task']},{cells['x']}\nu,2\n")
    with pytest.raises(
        UserError, match="a line has more than 4 MiB, because a quote .* or a cell is that large"
    ):
        rows_of(table(path))


def test_a_large_cell_is_not_repeated_whole(tmp_path):
    places = surveyed(write(tmp_path / "t.csv", f"task,x\nu,1\nv,{'z' * 10**6}\n")).places
    assert places == {"x": {"text": f"'{'z' * 60}...' in row 2"}}


def test_a_header_without_an_end_gets_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "LONGEST_HEADER", 1000)
    for start in (b"", b'task,"a\n'):
        path = write_bomb(tmp_path / "t.csv.gz", start, b"0" * 999, 2)
        with pytest.raises(UserError, match="but that line has more than 1000 characters"):
            table(path)


def test_a_table_on_its_side_gets_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(column_block, "MOST_COLUMNS", 10)
    with pytest.raises(UserError, match="t.csv has 11 columns, and at most 10 can be read"):
        table(write(tmp_path / "t.csv", "task" + ",x" * 11 + "\n"))
    with pytest.raises(UserError, match="t.npz has 11 columns, and at most 10 can be read"):
        table(write_npz(tmp_path / "t.npz", x=np.zeros((1, 11)), task=["u"]), None)


def test_rows_that_were_packed_to_fill_the_memory_are_refused(tmp_path, monkeypatch):
    path = write_bomb(tmp_path / "t.csv.gz", b"task,x\n", b"u,1\nv,2\n" * 2**20, 3)
    assert len(rows_of(table(path))[0]) == 3 * 2**21  # a few megabytes may be all the same
    monkeypatch.setattr(unpacking, "ALWAYS_BYTES", 2**20)
    with pytest.raises(UserError, match="more than 500 times as large when it is unpacked"):
        rows_of(table(path))


def test_an_array_that_was_packed_to_fill_the_memory_is_refused(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "t.npz", x=np.zeros((2**20, 2), np.float32), task=np.arange(2**20) % 2)
    table(tmp_path / "t.npz", None)
    monkeypatch.setattr(unpacking, "ALWAYS_BYTES", 2**20)
    with pytest.raises(UserError, match="t.npz becomes more than 500 times as large"):
        table(tmp_path / "t.npz", None)


@pytest.mark.parametrize("shape", [(10**12, 10), (2**63, 2**63), (3, 2), (1, 2), (-1, 2), (2**62, 0, 4)])
def test_an_array_that_declares_another_size_than_it_has_gets_one_sentence(tmp_path, shape):
    content = io.BytesIO()
    write_npy(content, shape, 4)
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("x.npy", content.getvalue())
    with pytest.raises(UserError, match=r"t.npz \('x'\) declares an array .* but it holds 16: save it again"):
        table(tmp_path / "t.npz", None)
    (tmp_path / "t.npy").write_bytes(content.getvalue())
    with pytest.raises(UserError, match="t.npy declares an array .* but it holds 16: save it again"):
        read_support(str(tmp_path / "t.npy"), ("a", "b"), print)


def test_arrays_larger_than_the_memory_are_refused_before_they_are_read(tmp_path, monkeypatch):
    path = write_npz(tmp_path / "t.npz", x=np.zeros((100, 2)), task=["u"] * 100)
    monkeypatch.setattr("data_builders.table.npy_arrays.available_memory", lambda: 1000)
    with pytest.raises(UserError, match="GB, which are read at once, and 1e-06 GB of memory are free"):
        table(path, None)


def test_a_name_of_thousands_of_characters_gets_one_sentence(tmp_path):
    path = write(tmp_path / "t.csv", f"task,x\nu,1\n{'7' * 5000},2\n")
    with pytest.raises(
        UserError, match="t.csv has a name of 5000 characters for the task of row 2, '7{20}...'"
    ):
        surveyed(path)
    path = write(tmp_path / "t.csv", f"task,x,y\nu,1,{'c' * 1001}\n")
    with pytest.raises(UserError, match="has a name of 1001 characters for the label of row 1"):
        surveyed(path, label_column="y")
    with pytest.raises(UserError, match="has a name of 1001 characters for column 2, 'x{20}...'"):
        table(write(tmp_path / "t.csv", f"task,{'x' * 1001}\n"))
    digits = write(tmp_path / "t.csv", f"task,x\n{'7' * 1000},1\n8,2\n")
    assert surveyed(digits).task_names == ("8", "7" * 1000)


def test_parquet_columns_of_the_same_name_get_one_sentence(tmp_path):
    columns = [pa.array(["u", "v"]), pa.array([1, 2]), pa.array([3, 4]), pa.array([5, 6])]
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.Table.from_arrays(columns, names=["task", "a", "b", "a"]), path)
    opened = table(path)
    assert opened.problems == [
        "1 column name(s) stand more than once: 'a': give every column a name of its own."
    ]
    np.testing.assert_array_equal(rows_of(opened)[0], [[1, 3], [2, 4]])
    np.testing.assert_array_equal(rows_of(table(path, "b"))[1], ["3", "4"])


READ = """
import sys
from tests.data_builders.table.files import rows_of
from data_builders.table.options import TableOptions
from data_builders.table.table import Table
from tffs.errors import UserError
try:
    rows_of(Table(TableOptions(sys.argv[1], "task")))
except UserError as error:
    sys.exit(f"said: {error}")
"""


@pytest.mark.parametrize("start", [b"", b"task,x\nu,1\nv,"])
def test_a_gzip_bomb_ends_in_a_sentence_within_little_memory_and_without_an_abort(tmp_path, start):
    path = write_bomb(tmp_path / "t.csv.gz", start, b"0" * (100 * 2**20), 15)
    command = limited(resource.RLIMIT_AS, 2 * GB, sys.executable, "-c", READ, path)
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 1, ended.stderr
    assert ended.stderr.startswith("said: "), ended.stderr
