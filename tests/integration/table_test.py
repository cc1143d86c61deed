"""A user's own table through the command line, from inspecting it to selecting for a task that it has not."""

import csv
import json
import os
import shutil

import keras
import numpy as np
import pytest

from tests.data_builders.table.files import write, write_npz
from tffs.workdir import Workdir

QUICK = (
    "--support_size=3",
    "--num_selected=2",
    "--steps=60",
    "--eval_every=30",
    "--selector_dim=10",
    "--embedding_units=8",
    "--decoder_units=8",
    "--jit=off",
    "--threads=1",
)
COLUMNS = ("temp °C", "load, avg", "p/q %", "rpm", "Wärme")
LINES = ("Line A (old)", "line.b", "3", "C/C")


def machine(rng, rows, shift=0.0):
    """Rows of one machine, in units far from [0, 1]."""
    base = rng.normal(size=(rows, 1))
    noise = rng.normal(size=(rows, len(COLUMNS)))
    return (base + 0.3 * noise) * [5, 0.01, 30, 400, 2] + [20 + shift, 0.5, 50, 3000, -7]


def table_text(rng, missing=0):
    lines = []
    for number, line in enumerate(LINES):
        for row in machine(rng, 25, number):
            lines.append([f"{line}", *(f"{value:.6g}" for value in row), "note"])
    for cell in range(missing):
        lines[7 * cell][1 + cell % len(COLUMNS)] = ""
    order = rng.permutation(len(lines))
    header = ["which line", *COLUMNS, "remark"]
    rows = [header, *(lines[i] for i in order)]
    return "\n".join(",".join(f'"{cell}"' if "," in cell else cell for cell in row) for row in rows) + "\n"


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A table that no one has seen: odd names, spaces, a few missing values, a column of text."""
    path = tmp_path_factory.mktemp("odd") / "My machines, 2026.csv"
    return write(path, table_text(np.random.default_rng(5), missing=6))


FLAGS = ("--task_column=which line", "--ignore_columns=remark")


@pytest.fixture(scope="module")
def trained(odd, run_main, tmp_path_factory):
    workdir = Workdir(str(tmp_path_factory.mktemp("odd_run") / "run"))
    outcome = run_main(
        f"--table={odd}",
        *FLAGS,
        *QUICK,
        "--missing=median",
        "--target_task=line.b",
        f"--workdir={workdir.path}",
    )
    assert outcome.code == 0, outcome.err
    assert "6 values are missing in 5 column(s)" in outcome.err
    return workdir


def test_inspect_says_everything_and_changes_nothing(odd, run_main, data_dir):
    before = sorted(os.listdir(data_dir))
    outcome = run_main("--mode=inspect", f"--table={odd}", "--task_column=which line", *QUICK)
    assert outcome.code == 1
    assert "100 rows, 4 tasks, 6 features" in outcome.out
    for line in LINES:
        assert f"  {line} " in outcome.out
    assert "1 column(s) hold text where numbers are expected: 'remark' ('note' in row 1)" in outcome.out
    assert "6 values are missing in 5 column(s): 'temp °C' 2" in outcome.out
    assert "--ignore_columns=remark" in outcome.out
    assert outcome.err.splitlines()[-1].startswith("tffs: ")
    assert "2 problem(s), listed above" in outcome.err
    better = run_main("--mode=inspect", f"--table={odd}", *FLAGS, *QUICK, "--missing=median")
    assert better.code == 0
    assert better.out.endswith("Training would start.\n")
    assert sorted(os.listdir(data_dir)) == before


def test_inspect_answers_0_only_if_training_would_start(odd, run_main):
    arguments = ("--mode=inspect", f"--table={odd}", *FLAGS, *QUICK, "--missing=drop_rows")
    assert run_main(*arguments).code == 0
    for wrong, message in (
        ("--support_size=20", "task(s) have too few rows"),
        ("--num_selected=6", "more than the 5 features"),
        ("--target_task=line.c", "--target_task=line.c is not a task"),
    ):
        outcome = run_main(*arguments, wrong)
        assert outcome.code == 1
        assert message in outcome.out


def test_the_model_takes_raw_rows_of_a_new_task_in_any_order_of_columns(trained, run_main, tmp_path):
    rng = np.random.default_rng(9)
    rows = machine(rng, 3)
    rows[1, 2] = np.nan
    order = [3, 1, 0, 4, 2]
    with open(tmp_path / "new machine.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([COLUMNS[i] for i in order] + ["remark"])
        writer.writerows([["" if np.isnan(row[i]) else row[i] for i in order] + ["new"] for row in rows])
    support = f"--support={tmp_path}/new machine.csv"
    outcome = run_main("--mode=select", f"--model={trained.path}", support, "--format=json")
    assert outcome.code == 0, outcome.err
    answer = json.loads(outcome.out)
    assert len(answer["selected"]) == 2
    model = keras.saving.load_model(trained.model)
    expected = np.asarray(model.select(rows[None].astype(np.float32)))[0]
    assert [chosen["index"] for chosen in answer["selected"]] == expected.tolist()
    assert [chosen["name"] for chosen in answer["selected"]] == [COLUMNS[i] for i in expected]
    assert "units right" not in outcome.err

    rebuilt = np.asarray(model.reconstruct(rows[None].astype(np.float32), rows[None][..., expected]))[0]
    with open(f"{trained.exports}/1/assets/description.json", encoding="utf-8") as file:
        description = json.load(file)
    low, high = np.asarray(description["source_low"]), np.asarray(description["source_high"])
    assert ((rebuilt >= low - 1e-3) & (rebuilt <= high + 1e-3)).all()  # in raw units: a sigmoid, scaled back
    assert description["scaling"] == "minmax"
    assert description["missing"] == "median"
    assert description["feature_names"] == list(COLUMNS)


def test_rows_in_another_unit_are_noticed(trained, run_main, tmp_path):
    rows = machine(np.random.default_rng(9), 3) * [1, 1, 1, 0.001, 1000]
    np.save(tmp_path / "rows.npy", rows)
    outcome = run_main("--mode=select", f"--model={trained.path}", f"--support={tmp_path}/rows.npy")
    assert outcome.code == 0
    assert (
        "1 feature(s) are far outside what the source tasks showed; are the units right? 'Wärme'" in outcome.err
    )


def test_results_are_in_units_a_person_can_read(trained):
    result = trained.read_json("result.json")
    assert result["dataset"] == "My_machines_2026"
    assert result["scaling"] == "minmax"
    assert 0 < result["relative_error"] < 1.5
    assert set(result["yardsticks"]["random"]) >= {"msre", "relative_error"}
    with open(trained.file("support.csv"), encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == list(COLUMNS)
    assert 1000 < float(rows[0][3]) < 5000  # rpm, raw


def test_later_modes_need_neither_the_table_nor_its_flags(trained, run_main, odd, tmp_path):
    assert run_main("--mode=export", f"--workdir={trained.path}").code == 0
    moved = f"{tmp_path}/elsewhere.csv"
    shutil.move(odd, moved)
    try:
        assert run_main("--mode=evaluate", f"--workdir={trained.path}").code == 0
        assert run_main("--mode=evaluate", f"--workdir={trained.path}", f"--table={moved}", *FLAGS).code == 0
        other = run_main("--mode=evaluate", f"--workdir={trained.path}", f"--table={moved}", FLAGS[0])
        assert other.code == 1
        assert "has changed since this run was trained, or other columns were named" in other.err
    finally:
        shutil.move(moved, odd)


def test_a_changed_table_is_another_run(run_main, tmp_path):
    rng = np.random.default_rng(1)
    path = write(tmp_path / "t.csv", table_text(rng))
    command = (f"--table={path}", *FLAGS, *QUICK, "--mode=train", f"--workdir={tmp_path}/run")
    assert run_main(*command).code == 0
    write(tmp_path / "t.csv", table_text(rng))
    outcome = run_main(*command)
    assert outcome.code == 1
    assert "holds a run on another table, on one that has changed since" in outcome.err


def test_units_do_not_matter_with_scaling(run_main, tmp_path):
    """Powers of two scale floats exactly, so even the figures are equal."""
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 64, size=(80, 6)).astype(np.float64)
    results = []
    for name, unit in (("a", 1.0), ("b", 1024.0)):
        path = write_npz(tmp_path / f"{name}.npz", x=rows * unit, task=np.repeat(np.arange(4), 20))
        command = (f"--table={path}", *QUICK, "--target_task=2", f"--workdir={tmp_path}/{name}")
        assert run_main(*command).code == 0
        results.append(Workdir(f"{tmp_path}/{name}").read_json("result.json"))
    for key in ("msre", "relative_error", "selected", "distinct"):
        assert results[0][key] == results[1][key]


@pytest.mark.parametrize("scaling", ["standard", "none"])
def test_every_scaling_trains_and_exports(run_main, tmp_path, scaling):
    path = write(tmp_path / "t.csv", table_text(np.random.default_rng(1)))
    outcome = run_main(
        f"--table={path}",
        *FLAGS,
        *QUICK,
        f"--scaling={scaling}",
        "--target_task=none",
        f"--workdir={tmp_path}/run",
        "--learning_rate=0.01",
    )
    assert outcome.code == 0, outcome.err
    assert "of the error of answering the mean" in outcome.out
    config = Workdir(f"{tmp_path}/run").read_json("config.json")
    assert config["output_activation"] == "linear"


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
    arguments = (f"--table={path}", "--task_column=task", *QUICK, *flags)
    outcome = run_main(f"--mode={mode}", *arguments, f"--workdir={workdir}")
    assert outcome.code == 1
    assert "Traceback" not in outcome.err
    assert message in outcome.err + outcome.out
    assert sum(line.startswith("tffs: ") for line in outcome.err.splitlines()) == 1
    assert not (workdir / "checkpoints").exists()


@pytest.mark.parametrize("mode", ["train", "inspect"])
def test_problems_of_every_kind_come_at_once(mode, run_main, tmp_path):
    text = GOOD.replace("u,1.0", "u,one").replace("v,1.0", "v,") + "tiny,1,2\nu,1\n"
    path = write(tmp_path / "t.csv", text.replace("task,a,b", "task,a,a"))
    outcome = run_main(
        f"--mode={mode}", f"--table={path}", "--task_column=task", *QUICK, f"--workdir={tmp_path}/run"
    )
    assert outcome.code == 1
    for message in (
        "stand more than once: 'a'",
        "1 line(s) of t.csv",
        "'one' in row 3",
        "1 values are missing",
    ):
        assert message in outcome.err + outcome.out
    assert "too few rows: tiny has 1" in outcome.err + outcome.out or "more than the 1 features" in (
        outcome.err + outcome.out
    )


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


def test_a_table_of_20000_columns_goes_through(run_main, tmp_path, rng):
    x = rng.random((60, 20_000), dtype=np.float32)
    header = ",".join(["task", *(f"gene {i}" for i in range(20_000))])
    lines = (f"{i % 3}," + ",".join(f"{value:.3f}" for value in row) for i, row in enumerate(x))
    path = write(tmp_path / "wide.csv", header + "\n" + "\n".join(lines) + "\n")
    command = (f"--table={path}", "--task_column=task", *QUICK, "--steps=2", f"--workdir={tmp_path}/run")
    outcome = run_main(*command)
    assert outcome.code == 0, outcome.err
    assert all(
        name.startswith("gene ") for name in Workdir(f"{tmp_path}/run").read_json("result.json")["selected"]
    )


def test_other_kinds_of_bad_files_are_refused_too(run_main, tmp_path):
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
            outcome = run_main(
                f"--mode={mode}", f"--table={tmp_path}/{name}", *flags, f"--workdir={tmp_path}/run"
            )
            assert outcome.code == 1
            assert message in outcome.err + outcome.out
            assert "Traceback" not in outcome.err


def test_constant_and_id_columns_are_noted_and_trained_on(run_main, tmp_path):
    rows = "".join(f"{'uvw'[i % 3]},{i},7,{i % 4}\n" for i in range(60))
    path = write(tmp_path / "t.csv", "task,row,const,x\n" + rows)
    outcome = run_main(
        "--mode=train", f"--table={path}", "--task_column=task", *QUICK, f"--workdir={tmp_path}/run"
    )
    assert outcome.code == 0
    assert "1 column(s) are constant and tell nothing: 'const'" in outcome.err
    assert "1 column(s) look like an id (whole numbers, all different): 'row'" in outcome.err


def test_what_is_learned_never_depends_on_the_target(run_main, tmp_path):
    """The same source rows with wholly different target rows scale and impute in the same way."""
    rng = np.random.default_rng(3)
    source = rng.normal(size=(60, 4))
    source[rng.random(source.shape) < 0.1] = np.nan
    learned = []
    for name, factor in (("a", 1.0), ("b", 1000.0)):
        x = np.concatenate([source, factor * rng.normal(size=(20, 4))])
        task = np.repeat(["u", "v", "w", "target"], 20)
        path = write_npz(tmp_path / f"{name}.npz", x=x, task=task)
        command = (f"--table={path}", *QUICK, "--mode=train", "--missing=median", "--scaling=standard")
        assert run_main(*command, "--target_task=target", f"--workdir={tmp_path}/{name}").code == 0
        scaling = keras.saving.load_model(f"{tmp_path}/{name}/model.keras").scaling
        learned.append([np.asarray(weight) for weight in scaling.weights])
    for one, other in zip(*learned, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_renamed_table_is_the_same_run_and_a_changed_one_does_not_stop_an_export(run_main, tmp_path):
    rng = np.random.default_rng(1)
    path = write(tmp_path / "t.csv", table_text(rng))
    command = (*FLAGS, *QUICK, "--mode=train", f"--workdir={tmp_path}/run")
    assert run_main(f"--table={path}", *command).code == 0
    shutil.copy(path, tmp_path / "renamed.csv")
    again = run_main(f"--table={tmp_path}/renamed.csv", *command)
    assert again.code == 0
    assert "is trained already" in again.err
    write(tmp_path / "t.csv", table_text(rng))
    assert run_main("--mode=export", f"--workdir={tmp_path}/run").code == 0
