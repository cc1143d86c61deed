"""Every bad table through the command line: what is wrong is said, all of it, and nothing is left behind."""

import numpy as np
import pytest

from tests.conftest import INSPECTED, QUICK
from tests.data_builders.table.files import write

GOOD = "task,a,b\n" + "".join(f"{task},{i * 0.5},{i % 3}\n" for task in "uvwz" for i in range(10))
BAD = {
    "text": (GOOD.replace("u,1.0", "u,one"), (), "'a' ('one' in row 3)"),
    "missing": (GOOD.replace("u,1.0", "u,"), (), "1 values are missing in 1 column(s): 'a' 1 (first in row 3)"),
    "infinite": (GOOD.replace("u,1.0", "u,-inf"), (), "1 values are infinite"),
    "duplicate names": (GOOD.replace("task,a,b", "task,a,a"), (), "column name(s) stand more than once: 'a'"),
    "one task": ("task,a,b\n" + "u,1,2\nu,2,1\n" * 10, (), "all rows belong to one task, 'u'"),
    "small tasks": (GOOD + "tiny,1,2\nsmall,3,4\n", (), "2 task(s) have too few rows: small has 1"),
    "no rows": ("task,a,b\n", (), "the table has no rows"),
    "empty file": ("", (), "that line is empty"),
    "ragged": (GOOD + "u,1\n", (), "do not have 3 values as the first line has, first line 42 with 2"),
    "not utf-8": (GOOD.encode() + b"\xff,1,2\n", (), "must be text in UTF-8"),
    "no task in a row": (GOOD + ",1,2\n", (), "1 row(s) have no task, first row 41"),
    "empty column": (
        GOOD.replace(",0\n", ",\n").replace(",1\n", ",\n").replace(",2\n", ",\n"),
        (),
        "no values at all",
    ),
    "wrong task column": (GOOD, ("--task_column=tusk",), "did you mean 'task'?"),
    "unknown label": (GOOD, ("--label_column=q",), "--label_column names 'q'"),
    "label is no class": (
        "task,a,score\n" + "".join(f"{'uv'[i % 2]},{i % 3},{i * 0.37}\n" for i in range(40)),
        ("--label_column=score",),
        "the label column has 40 different values",
    ),
    "missing label": (
        GOOD.replace("u,1.0,2", "u,1.0,"),
        ("--label_column=b",),
        "1 row(s) have no label, first row 3",
    ),
    "label missing in a task": (
        "task,a,b,y\n"
        + "".join(f"{t},{i},{i % 3},{'k' if t != 'z' else ''}\n" for t in "uvwz" for i in range(10)),
        ("--label_column=y", "--missing=drop_rows"),
        "z has 0",
    ),
    "values in the target only": (
        "task,a,b\n" + "".join(f"{t},{'' if t != 'z' else i},{i}\n" for t in "uvwz" for i in range(10)),
        ("--missing=median", "--target_task=z"),
        "have no value in the source tasks, so there is no median to fill in: 'a'",
    ),
    "too large": (GOOD.replace("u,1.0", "u,1e35"), (), "which 32-bit numbers cannot scale: 'a'"),
    "a task called none": (GOOD.replace("\nz", "\nnone"), (), "A task is called 'none'"),
    "a spreadsheet": (b"PK\x03\x04", (), "is a spreadsheet or an archive"),
    "unknown feature": (GOOD, ("--feature_columns=a,c",), "--feature_columns names 'c'"),
    "column twice": (GOOD, ("--ignore_columns=task",), "both name 'task'"),
    "nothing left": (GOOD, ("--ignore_columns=a,b",), "no column is left as a feature"),
    "K larger than M": (GOOD, ("--num_selected=3",), "more than the 2 features"),
    "unknown target": (GOOD, ("--target_task=q",), "--target_task=q is not a task"),
}


@pytest.mark.parametrize("mode", ["train", "inspect"])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_table_gets_clear_sentences_and_leaves_nothing(name, mode, run_main, tmp_path):
    text, flags, message = BAD[name]
    path = write(tmp_path / "t.csv", text)
    workdir = tmp_path / "run"
    arguments = (f"--table={path}", "--task_column=task", *INSPECTED, *flags)
    outcome = run_main(f"--mode={mode}", *arguments, *([f"--workdir={workdir}"] if mode == "train" else []))
    assert outcome.code == 1
    assert "Traceback" not in outcome.err
    assert message in outcome.err + outcome.out
    assert sum(line.startswith("tffs: ") for line in outcome.err.splitlines()) == 1
    assert not (workdir / "checkpoints").exists()


@pytest.mark.parametrize("mode", ["train", "inspect"])
def test_problems_of_every_kind_come_at_once(mode, run_main, tmp_path, monkeypatch):
    text = GOOD.replace("u,1.0", "u,one").replace("v,1.0", "v,") + "tiny,1,2\nu,1\n"
    path = write(tmp_path / "t.csv", text.replace("task,a,b", "task,a,a"))
    monkeypatch.chdir(tmp_path)
    flags = ("--task_column=task", *INSPECTED, "--num_selected=1")
    outcome = run_main(f"--mode={mode}", f"--table={path}", *flags)
    assert outcome.code == 1
    for message in (
        "stand more than once: 'a'",
        "1 line(s) of t.csv",
        "'one' in row 3",
        "1 values are missing",
        "too few rows: tiny has 1",
    ):
        assert message in outcome.err + outcome.out


def test_several_problems_come_at_once(run_main, tmp_path):
    path = write(
        tmp_path / "t.csv", GOOD.replace("u,1.0", "u,one").replace("v,1.0", "v,").replace("w,1.0", "w,inf")
    )
    outcome = run_main(f"--table={path}", "--task_column=task", *QUICK, f"--workdir={tmp_path}/run")
    assert outcome.code == 1
    assert "cannot be trained on, for 3 reasons:\n  - 1 column(s) hold text" in outcome.err
    assert "\n  - 1 values are missing" in outcome.err
    assert "\n  - 1 values are infinite" in outcome.err


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ("--table=nowhere.csv", "--task_column=t"),
            "--table=nowhere.csv is neither here nor below --data_mirror",
        ),
        (("--table=t.csv", "--dataset=digits_r"), "were both given: the rows come from one"),
        (("--dataset=digits_r", "--task_column=t"), "--task_column says something about a table"),
        (("--table=t.csv", "--scaling=log"), "--scaling must be one of minmax, standard, none"),
        (("--table=t.csv", "--missing=zero"), "--missing must be one of error, median, drop_rows"),
        (("--mode=inspect", "--dataset=digits_r"), "--mode=inspect looks at a table"),
    ],
)
def test_flags_about_tables_are_checked(flags, message, run_main, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = run_main(*flags)
    assert outcome.code == 1
    assert outcome.out == ""
    assert message in outcome.err


def test_other_kinds_of_bad_files_are_refused_too(run_main, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    write(tmp_path / "folder" / "a.csv", "p,q\n1,2\n")
    write(tmp_path / "folder" / "b.csv", "p,r\n1,2\n")
    write(tmp_path / "t.parquet", b"PAR1 cut")
    np.savez(tmp_path / "t.npz", x=np.array([{}], object), task=[0])
    for name, message in (
        ("folder", "b.csv lacks columns that a.csv has: 'q'"),
        ("t.parquet", "cannot be read as a Parquet file"),
        ("t.npz", "holds Python objects, which are never loaded"),
    ):
        for mode in ("train", "inspect"):
            flags = () if name in ("folder", "t.npz") else ("--task_column=task",)
            outcome = run_main(f"--mode={mode}", f"--table={tmp_path}/{name}", *flags)
            assert outcome.code == 1
            assert message in outcome.err + outcome.out
            assert "Traceback" not in outcome.err
