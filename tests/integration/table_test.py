"""A user's own table through the command line, from inspecting it to selecting for a task that it has not."""

import csv
import json
import os
import shutil

import keras
import numpy as np
import pytest

import tffs
from tests.conftest import INSPECTED, QUICK
from tests.data_builders.table.files import write, write_npz
from tffs.workdir import Workdir

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
        "--scaling=minmax",
        "--missing=median",
        "--target_task=line.b",
        f"--workdir={workdir.path}",
    )
    assert outcome.code == 0, outcome.err
    assert "6 values are missing in 5 column(s)" in outcome.err
    return workdir


def test_inspect_says_everything_and_changes_nothing(odd, run_main, data_dir):
    before = sorted(os.listdir(data_dir))
    outcome = run_main("--mode=inspect", f"--table={odd}", "--task_column=which line", *INSPECTED)
    assert outcome.code == 1
    assert "100 rows, 4 tasks, 6 features" in outcome.out
    for line in LINES:
        assert f"  {line} " in outcome.out
    assert "1 column(s) hold text where numbers are expected: 'remark' ('note' in row 1)" in outcome.out
    assert "6 values are missing in 5 column(s): 'temp °C' 2" in outcome.out
    assert "--ignore_columns=remark" in outcome.out
    assert outcome.err.splitlines()[-1].startswith("tffs: ")
    assert "2 problem(s), listed above" in outcome.err
    better = run_main("--mode=inspect", f"--table={odd}", *FLAGS, *INSPECTED, "--missing=median")
    assert better.code == 0
    assert better.out.endswith("Training would start.\n")
    assert sorted(os.listdir(data_dir)) == before


def test_inspect_answers_0_only_if_training_would_start(odd, run_main):
    arguments = ("--mode=inspect", f"--table={odd}", *FLAGS, *INSPECTED, "--missing=drop_rows")
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
    model = tffs.load_model(trained.path)
    expected = np.asarray(model.select(rows[None].astype(np.float32)))[0]
    assert [chosen["index"] for chosen in answer["selected"]] == expected.tolist()
    assert [chosen["name"] for chosen in answer["selected"]] == [COLUMNS[i] for i in expected]
    assert "units right" not in outcome.err
    assert "the source tasks' medians fill in what is missing of 'p/q %'." in outcome.err

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
    assert "1 feature(s) of the support rows are far outside what the source tasks showed" in outcome.err
    assert "are the units right? 'Wärme'" in outcome.err


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
        assert (
            "is another table than that of this run, has changed since, or other columns were named"
            in other.err
        )
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
        for mode in ("train", "evaluate"):
            assert run_main(*command, f"--mode={mode}").code == 0
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
