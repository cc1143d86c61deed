"""Opening and reading tables in every kind of file."""

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet
import pytest

from data_builders.table import column_block, csv_file
from data_builders.table.options import TableOptions, stem_of
from data_builders.table.table import Table
from tests.data_builders.table.files import rows_of, write, write_npz, write_parquet
from tffs.errors import UserError

CSV = "task,Jitter(%),a b\nx y,1,2\nz,3.5,4\nx y,5,-6e-1\n"
ROWS = [[1, 2], [3.5, 4], [5, -0.6]]
TASKS = ["x y", "z", "x y"]


def table(path, task_column="task", **options):
    return Table(TableOptions(path, task_column, **options))


@pytest.mark.parametrize(
    "text",
    [
        CSV,
        CSV.replace(",", ";"),
        CSV.replace(",", ";").replace(".", ","),
        CSV.replace(",", "\t"),
        CSV.replace(",", "|"),
        CSV.replace("\n", "\r\n"),
        "\ufeff" + CSV,
        CSV.rstrip("\n"),
        CSV.replace("z,", "\n\nz,"),
        CSV.replace("x y", '"x y"').replace("a b", '" a  b "'),
        CSV.replace("a b", '"a\nb"'),
    ],
)
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.data"])
def test_csv_files_are_read_as_people_write_them(tmp_path, text, name):
    opened = table(write(tmp_path / name, text))
    assert opened.feature_names == ("Jitter(%)", "a b")
    x, tasks = rows_of(opened)
    np.testing.assert_array_equal(x, ROWS)
    assert tasks == TASKS
    assert not opened.problems


def test_long_files_are_read_in_blocks_and_rows_are_counted_through(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "_SMALLEST_BLOCK", 4096)
    monkeypatch.setattr(csv_file, "_ROWS_A_BLOCK", 1)
    lines = "".join(f"{i % 7},{i},{i / 2}\n" for i in range(5000))
    opened = table(write(tmp_path / "t.csv", "task,a,b\n" + lines))
    shares = []
    pieces = list(opened.pieces(shares.append))
    assert len(pieces) > 5
    firsts = [piece.first_row for piece in pieces]
    assert firsts == list(np.cumsum([1, *(piece.block.x.shape[1] for piece in pieces)])[:-1])
    np.testing.assert_array_equal(np.concatenate([piece.block.x[0] for piece in pieces]), np.arange(5000))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_parquet_is_read_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(column_block, "BLOCK_BYTES", 64)
    path = write_parquet(
        tmp_path / "t.parquet",
        shop=pa.array(["b", "a", "b", "a", "a"]),
        n=pa.array([1, 2, 3, None, 5]),
        **{
            "a.b": pa.array([0.5, 1.5, 2.5, 3.5, 4.5], pa.float32()),
            "flag": pa.array([True, False] * 2 + [True]),
        },
    )
    x, tasks = rows_of(table(path, "shop"))
    np.testing.assert_array_equal(x[:, 0], [1, 2, 3, np.nan, 5])
    np.testing.assert_array_equal(x[:, 1:], [[0.5, 1], [1.5, 0], [2.5, 1], [3.5, 0], [4.5, 1]])
    assert tasks == ["b", "a", "b", "a", "a"]


def test_npz_needs_no_flags_and_other_keys_are_ignored(tmp_path):
    path = write_npz(
        tmp_path / "t.npz",
        x=np.arange(8, dtype=np.float16).reshape(4, 2),
        y=np.array([1, 0, 1, 1], np.int16),
        task=np.array([1, 0, 1, 0]),
        task_names=np.array(["one task", "another"]),
        class_names=np.array(["dog", "cat"]),
        files=np.array(["a.jpg"] * 4),
    )
    opened = table(path, None)
    assert opened.feature_names == ("x0", "x1")
    assert opened.labelled
    x, tasks = rows_of(opened)
    np.testing.assert_array_equal(x, np.arange(8).reshape(4, 2))
    assert tasks == ["another", "one task", "another", "one task"]
    (piece,) = opened.pieces(lambda share: None)
    assert piece.block.label.to_pylist() == ["cat", "dog", "cat", "cat"]


def test_npz_features_may_have_names_and_be_chosen(tmp_path):
    path = write_npz(
        tmp_path / "t.npz", x=np.eye(3), task=np.array(["u", "v", "w"]), feature_names=np.array(["a", "b", "c"])
    )
    opened = table(path, None, ignore_columns=("b",))
    assert opened.feature_names == ("a", "c")
    np.testing.assert_array_equal(rows_of(opened)[0], np.eye(3)[:, [0, 2]])


def test_a_folder_is_one_file_a_task_in_any_order_of_columns(tmp_path):
    write(tmp_path / "shop 2.csv", "b,a\n1,2\n")
    write(tmp_path / "shop 1.csv.gz", "a,b\n3,4\n5,6\n")
    write_parquet(tmp_path / "shop 3.parquet", a=[7], b=[8])
    write_npz(tmp_path / "z.npz", x=[[9.0, 10.0]], feature_names=["a", "b"], task=[0])
    write(tmp_path / "README.md", "not a table")
    opened = table(str(tmp_path), None)
    assert opened.ignored == ["README.md"]
    assert not opened.problems
    x, tasks = rows_of(opened)
    np.testing.assert_array_equal(x, [[3, 4], [5, 6], [2, 1], [7, 8], [9, 10]])
    assert tasks == ["shop 1", "shop 1", "shop 2", "shop 3", "z"]
    assert next(opened.pieces(lambda share: None)).where(0) == "row 1 of shop 1.csv.gz"


def test_files_of_a_folder_must_have_the_same_columns(tmp_path):
    write(tmp_path / "a.csv", "p,q\n1,2\n")
    write(tmp_path / "b.csv", "p,r\n1,2\n")
    assert table(str(tmp_path), None).problems == [
        "b.csv lacks columns that a.csv has: 'q'.",
        "b.csv has columns that a.csv lacks: 'r'; see --ignore_columns.",
    ]


def test_columns_are_given_their_parts(tmp_path):
    path = write(tmp_path / "t.csv", "id,task,x,y,class\n1,a,2,3,k\n")
    chosen = table(path, label_column="class", ignore_columns=("id",))
    assert chosen.feature_names == ("x", "y")
    assert chosen.labelled
    assert table(path, feature_columns=("y", "x")).feature_names == ("y", "x")


def test_pandas_row_numbers_get_a_name(tmp_path):
    path = write(tmp_path / "t.csv", ",task,x\n0,a,1\n")
    assert table(path).feature_names == ("unnamed 1", "x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"task_column": "tsak"},
            "--task_column names 'tsak', which the table does not have: did you mean 'task'?",
        ),
        (
            {"label_column": "no such"},
            "--label_column names 'no such', which the table does not have: its columns",
        ),
        ({"feature_columns": ("x", "task")}, "--task_column and --feature_columns both name 'task'"),
        ({"ignore_columns": ("x", "x2")}, "--ignore_columns names 'x2'"),
        ({"ignore_columns": ("x", "y")}, "no column is left as a feature"),
    ],
)
def test_what_is_wrong_with_the_columns_is_said(tmp_path, options, message):
    path = write(tmp_path / "t.csv", "task,x,y\na,1,2\n")
    problems = Table(TableOptions(path, **{"task_column": "task", **options})).problems
    assert any(message in problem for problem in problems), problems


def test_all_problems_of_columns_come_at_once(tmp_path):
    path = write(tmp_path / "t.csv", "task,x,x,y,y\na,1,2,3,4\n")
    problems = table(path, ignore_columns=("z",)).problems
    assert problems[0].startswith("2 column name(s) stand more than once: 'x', 'y'")
    assert problems[1].startswith("--ignore_columns names 'z'")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "that line is empty"),
        ("t.csv", b"task,x\na,\xff\xfe\n", "must be text in UTF-8"),
        ("t.csv", b"\xff\xfet\x00a\x00", "must be text in UTF-8"),
        ("t.csv.gz", b"task,x\na,1\n", "cannot be read as a CSV file"),
        ("t.parquet", b"PAR1 but not really", "cannot be read as a Parquet file"),
        ("t.npz", b"PK\x03\x04 no", "cannot be read as a .npz file"),
        ("book.xlsx", b"PK\x03\x04 no", "is a spreadsheet or an archive: save the table as CSV"),
        ("t.csv", b'task,x\na,"1\n' + b"b,2\n" * 3_000_000, "a quote in it is never closed"),
        ("t.npz", b"", "cannot be read as a .npz file"),
    ],
)
def test_damaged_files_get_one_sentence(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=message):
        rows_of(table(str(tmp_path / name), None if name.endswith("npz") else "task"))


def test_a_cut_file_gets_one_sentence(tmp_path):
    whole = write(tmp_path / "t.csv.gz", "task,x\n" + "a,1.2345\n" * 5000)
    data = (tmp_path / "t.csv.gz").read_bytes()
    (tmp_path / "t.csv.gz").write_bytes(data[: len(data) // 2])
    with pytest.raises(UserError, match="cannot be read as a CSV file"):
        rows_of(table(whole))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"task": [0]}, "'x' is not there"),
        ({"x": [[1.0]]}, "must say each row's task in 'task'"),
        ({"x": [1.0], "task": [0]}, "'x' is float64 \\[1\\]"),
        ({"x": [["a"]], "task": [0]}, "'x' is <U1"),
        ({"x": np.zeros((1, 1), complex), "task": [0]}, "'x' is complex128"),
        ({"x": [[1.0]], "task": [0, 1]}, "'task' \\[1\\], one a row"),
        ({"x": [[1.0]], "task": [2], "task_names": ["a"]}, "numbers from 0 to 0 in 'task'"),
        ({"x": [[1.0]], "task": [0], "feature_names": ["a", "b"]}, "must name its 1 features"),
        ({"x": [[1.0]], "task": [0], "task_names": "one"}, "must hold names 'task_names' in one row"),
        ({"x": [[1.0]], "task": [0], "feature_names": [["a"]]}, "must hold names 'feature_names' in one row"),
        ({"x": [[1.0]], "task": np.array([b"\xff"])}, "must hold names 'task' in UTF-8"),
        ({"x": [[1.0]], "task": np.array([{}])}, "cannot be read as a .npz file of plain arrays"),
    ],
)
def test_npz_files_of_another_layout_get_one_sentence(tmp_path, arrays, message):
    with pytest.raises(UserError, match=message):
        table(write_npz(tmp_path / "t.npz", **arrays), None)


def test_flags_that_do_not_fit_the_file_are_said(tmp_path):
    path = write(tmp_path / "t.csv", CSV)
    with pytest.raises(UserError, match="needs --task_column: .* its columns: 'task', 'Jitter\\(%\\)', 'a b'"):
        table(path, None)
    with pytest.raises(UserError, match="is a folder, where a file is a task: drop --task_column=task"):
        table(str(tmp_path))
    with pytest.raises(UserError, match="is neither here nor below --data_mirror: give the path of a CSV"):
        table(str(tmp_path / "nowhere.csv"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="must hold one file per task"):
        table(str(tmp_path / "empty"), None)


def test_the_dataset_is_named_by_content_and_columns(tmp_path):
    path = write(tmp_path / "my shops (2026).csv", CSV)
    name = table(path).dataset()
    assert name.startswith("table/my_shops_2026_-")
    assert table(write(tmp_path / "my shops (2026).csv", CSV)).dataset() == name
    assert table(path, ignore_columns=("a b",)).dataset() != name
    write(tmp_path / "my shops (2026).csv", CSV.replace("3.5", "3.6"))
    assert table(path).dataset() != name


def test_stems_are_names_without_folder_and_ending():
    assert [stem_of(path) for path in ("a/B.CSV.gz", "c.data", "folder/", "x.y.parquet", ".csv")] == [
        "B",
        "c",
        "folder",
        "x.y",
        ".csv",
    ]


def test_lines_with_more_or_fewer_values_are_counted_and_the_rest_is_read(tmp_path):
    opened = table(write(tmp_path / "t.csv", "task,x\na,1\nb,2,3\nc\nd,4\n"))
    x, tasks = rows_of(opened)
    np.testing.assert_array_equal(x, [[1], [4]])
    assert tasks == ["a", "d"]
    assert opened.problems == [
        "2 line(s) of t.csv do not have 2 values as the first line has, first line 3 with 3: fix them."
    ]


def test_npz_tasks_are_texts_like_any_other(tmp_path):
    path = write_npz(tmp_path / "t.npz", x=np.eye(3), task=np.array([" a ", "a", ""]))
    assert rows_of(table(path, None))[1] == ["a", "a", None]
    path = write_npz(tmp_path / "n.npz", x=np.eye(2), task=np.array([1.0, np.nan]))
    assert rows_of(table(path, None))[1] == ["1.0", None]
    path = write_npz(tmp_path / "b.npz", x=np.eye(2), task=np.array(["é".encode(), b"b"]))
    assert rows_of(table(path, None))[1] == ["é", "b"]


@pytest.mark.parametrize(("flag", "value"), [("task_column", "x0"), ("label_column", "x1")])
def test_npz_has_its_own_columns_of_tasks_and_labels(tmp_path, flag, value):
    path = write_npz(tmp_path / "t.npz", x=np.eye(2), task=[0, 1])
    with pytest.raises(UserError, match=f"drop --{flag}={value}"):
        Table(TableOptions(path, **{flag: value}))


def test_files_of_a_folder_are_different_tasks(tmp_path):
    write(tmp_path / "a.csv", "p\n1\n")
    write(tmp_path / "a.CSV.gz", "p\n2\n")
    write_npz(tmp_path / "b.npz", x=[[1.0], [2.0]], feature_names=["p"], task=[0, 1])
    assert table(str(tmp_path), None).problems == [
        "2 files are called 'a', but a file is a task.",
        "b.npz names 2 tasks in 'task', but a file of a folder is one task.",
    ]


def test_parquet_is_known_by_its_first_bytes_and_lists_are_no_tasks(tmp_path):
    path = write_parquet(tmp_path / "t.pq", task=["a", "b"], x=[1.0, 2.0], lists=[[1], [2]])
    assert rows_of(table(path, ignore_columns=("lists",)))[1] == ["a", "b"]
    with pytest.raises(UserError, match="must hold text or numbers, but it holds list"):
        rows_of(table(path, "lists", feature_columns=("x",)))


def test_a_nameless_pandas_index_is_no_feature(tmp_path):
    frame = pandas.DataFrame({"task": list("abcd"), "x": [1.0, 2.0, 3.0, 4.0]})
    frame.iloc[[0, 1, 3]].to_parquet(tmp_path / "t.parquet")
    assert "__index_level_0__" in pyarrow.parquet.read_schema(tmp_path / "t.parquet").names
    opened = table(str(tmp_path / "t.parquet"))
    assert opened.feature_names == ("x",)
    np.testing.assert_array_equal(rows_of(opened)[0], [[1], [2], [4]])
