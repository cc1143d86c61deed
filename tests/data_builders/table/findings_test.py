"""What a survey gathers and what is said about it."""

import json
import shlex

import numpy as np
import pytest

from data_builders.table import csv_file
from data_builders.table.findings import findings
from data_builders.table.survey import Survey
from tests.data_builders.table.files import surveyed, write, write_empty_parquet
from tffs import flags

GOOD = "task,a,b\n" + "".join(f"{task},{i * 0.5},{i % 3}\n" for task in "uvw" for i in range(10))


def found(path, missing="error", **options):
    return findings(surveyed(path, **options), missing)


def test_a_good_table_is_surveyed_and_nothing_is_said(tmp_path):
    survey = surveyed(write(tmp_path / "t.csv", GOOD))
    assert survey.rows == 30
    assert survey.task_names == ("u", "v", "w")
    np.testing.assert_array_equal(survey.task_rows, [10, 10, 10])
    np.testing.assert_array_equal(survey.low, [0, 0])
    np.testing.assert_array_equal(survey.high, [4.5, 2])
    assert findings(survey, "error") == ([], [])


def test_a_survey_survives_json(tmp_path):
    survey = surveyed(write(tmp_path / "t.csv", GOOD.replace("u,1.0", "u,").replace("v,1.5", "v,x")))
    again = Survey.from_metadata(json.loads(json.dumps(survey.to_metadata())))
    assert findings(again, "error") == findings(survey, "error")
    np.testing.assert_array_equal(again.missing, [1, 0])


def test_tasks_are_sorted_by_value_if_they_are_numbers(tmp_path):
    rows = "".join(f"{task},{task},1\n" for task in (10, 9, 100))
    assert surveyed(write(tmp_path / "t.csv", "task,a,b\n" + rows)).task_names == ("9", "10", "100")


def test_text_is_said_with_column_row_and_value_wherever_it_stands(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "_SMALLEST_BLOCK", 64)
    monkeypatch.setattr(csv_file, "_ROWS_A_BLOCK", 1)
    table = GOOD.replace("u,1.0,2", "u,n.d.,2").replace("w,4.5,0", "w,low,many")
    errors, _ = found(write(tmp_path / "t.csv", table))
    assert errors == [
        "2 column(s) hold text where numbers are expected: 'a' ('n.d.' in row 3), 'b' ('many' in row 30): "
        "fix the values, or leave the columns out with --ignore_columns=a,b."
    ]


@pytest.mark.parametrize(
    ("rule", "errors", "notes"),
    [
        ("error", ["3 values are missing in 2 column(s)"], []),
        ("median", [], ["3 values"]),
        ("drop_rows", [], ["3 "]),
    ],
)
def test_missing_values_are_counted_and_the_rule_decides(tmp_path, rule, errors, notes):
    table = GOOD.replace("u,1.0,", "u,,").replace("v,1.0,", "v,NA,").replace("w,4.5,0", "w,4.5,?")
    heard = found(write(tmp_path / "t.csv", table), rule)
    for sentences, expected in ((heard.errors, errors), (heard.notes, notes)):
        assert len(sentences) == len(expected)
        for sentence, start in zip(sentences, expected, strict=True):
            assert sentence.startswith(start)
            assert "'a' 2 (first in row 3), 'b' 1 (first in row 30)" in sentence


def test_complete_rows_are_counted_by_task(tmp_path):
    survey = surveyed(write(tmp_path / "t.csv", GOOD.replace("u,1.0,2", "u,,").replace("v,1.0,", "v,NA,")))
    np.testing.assert_array_equal(survey.complete_rows, [9, 9, 10])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("u,1.0", "u,inf"), "1 values are infinite or beyond 32 bits: 'a' (inf in row 3)"),
        (("u,1.0", "u,-1e39"), "'a' (-1e+39 in row 3)"),
        (("u,1.0", ",1.0"), "1 row(s) have no task, first row 3"),
        (("\nv", "\nu"), None),
    ],
)
def test_infinities_and_rows_without_a_task_are_said(tmp_path, change, message):
    errors, _ = found(write(tmp_path / "t.csv", GOOD.replace(*change)))
    assert len(errors) == (message is not None)
    assert message is None or message in errors[0]


def test_one_task_only_is_said(tmp_path):
    table = GOOD.replace("\nv", "\nu").replace("\nw", "\nu")
    assert "all rows belong to one task, 'u'" in found(write(tmp_path / "t.csv", table)).errors[0]


def test_a_table_without_rows_and_columns_without_values_are_said(tmp_path):
    assert found(write(tmp_path / "t.csv", "task,a\n")).errors == ["the table has no rows."]
    for groups in (0, 1):
        path = write_empty_parquet(tmp_path / "t.parquet", groups)
        assert found(path).errors == ["the table has no rows."]
    errors, _ = found(write(tmp_path / "e.csv", "task,a,b c\nu,1,\nv,2,\n"), "median")
    assert errors == ["1 column(s) have no values at all: 'b c': leave them out with --ignore_columns='b c'."]


def test_everything_wrong_is_said_at_once(tmp_path):
    table = "task,a,b,c\n,1,x,inf\nu,,2,3\nu,4,5,6\n"
    errors, _ = found(write(tmp_path / "t.csv", table))
    starts = ["1 column(s) hold text", "1 values are infinite", "1 values are missing", "1 row(s) have no task"]
    assert [error.startswith(start) for error, start in zip(errors, starts, strict=False)] == [True] * 4
    assert "all rows belong to one task" in errors[4]


def test_constant_blurred_and_id_columns_are_worth_knowing(tmp_path):
    rows = "".join(f"{'uv'[i % 2]},7,{1000 + i},{1.7e9 + i % 5},{i % 3}\n" for i in range(30))
    errors, notes = found(write(tmp_path / "t.csv", "task,const,row no,seconds,x\n" + rows))
    assert errors == []
    assert notes == [
        "1 column(s) are constant and tell nothing: 'const'; they may be left out with --ignore_columns=const.",
        "1 column(s) vary little around large values, which 32-bit numbers blur: 'seconds'; subtract a "
        "constant from them.",
        "1 column(s) look like an id (whole numbers, all different): 'row no'; leave them out with "
        "--ignore_columns='row no' unless they are measured.",
    ]


def test_an_id_is_found_across_blocks_and_a_repeated_number_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "_SMALLEST_BLOCK", 64)
    monkeypatch.setattr(csv_file, "_ROWS_A_BLOCK", 1)
    rows = "".join(f"{'uv'[i % 2]},{100_000_000 + i},{i if i < 59 else 0}\n" for i in range(60))
    assert surveyed(write(tmp_path / "t.csv", "task,id,n\n" + rows)).like_id == ("id",)


def test_ranges_that_32_bits_cannot_scale_are_said(tmp_path):
    rows = "".join(f"{'uv'[i % 2]},{i}e-42,{i - 15}e37,{i}\n" for i in range(30))
    errors, _ = found(write(tmp_path / "t.csv", "task,tiny,huge,x\n" + rows))
    assert errors == [
        "2 column(s) have values beyond 1e+30 or vary by less than 1e-30, which 32-bit numbers cannot scale: "
        "'tiny', 'huge': use another unit."
    ]


def test_a_suggested_flag_can_be_copied(tmp_path):
    names = ('say "a,b"', '"x" y', "it's")
    header = ",".join('"' + name.replace('"', '""') + '"' for name in ("task", *names, "z"))
    path = write(tmp_path / "t.csv", header + "\nu,p,p,p,1\nv,p,p,p,2\n")
    (error,) = found(path).errors
    flag = shlex.split(error[error.index("--ignore") :].rstrip("."))[0]
    command = flags.parse(["tffs", f"--table={path}", "--task_column=task", flag])
    assert command.place.table.ignore_columns == names


def test_what_drop_rows_leaves_out_is_said(tmp_path):
    table = GOOD.replace("u,1.0,2", ",1.0,2").replace("v,1.0,2", "v,1.0,")
    survey = surveyed(write(tmp_path / "t.csv", table), label_column="b")
    np.testing.assert_array_equal(survey.complete_rows, [9, 9, 10])
    errors, notes = findings(survey, "drop_rows")
    assert errors == []
    assert [note.split(",")[0] for note in notes] == ["1 row(s) have no task", "1 row(s) have no label"]


def test_features_with_values_in_one_task_only_are_known(tmp_path):
    rows = "".join(f"{t},{i if t == 'v' else ''},{i}\n" for t in "uvw" for i in range(5))
    assert surveyed(write(tmp_path / "t.csv", "task,a,b\n" + rows)).only_task == {"a": "v"}


def test_labels_must_be_classes(tmp_path):
    assert found(write(tmp_path / "t.csv", GOOD), label_column="b").errors == []
    assert "has 30 different values" not in str(found(write(tmp_path / "t.csv", GOOD), label_column="a"))
    rows = "".join(f"{'uv'[i % 2]},{i % 3},{i * 0.37}\n" for i in range(30))
    errors, _ = found(write(tmp_path / "c.csv", "task,a,score\n" + rows), label_column="score")
    assert errors[0].startswith("the label column has 30 different values in 30 rows, so it is no class")
    errors, _ = found(write(tmp_path / "m.csv", GOOD.replace("u,1.0,2", "u,1.0,")), label_column="b")
    assert errors[0].startswith("1 row(s) have no label, first row 3")
