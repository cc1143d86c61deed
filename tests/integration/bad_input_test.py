"""Every mistake gets one sentence on standard error, exit code 1, and leaves nothing behind."""

import os
import shutil

import numpy as np
import pytest

from tests.conftest import SMALL
from tffs.workdir import Workdir


def assert_refused(outcome, *fragments):
    assert outcome.code == 1, outcome
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    sentence = outcome.err.splitlines()[-1]
    assert sentence.startswith("tffs: ")
    assert len([line for line in outcome.err.splitlines() if line.startswith("tffs: ")]) == 1
    for fragment in fragments:
        assert fragment in sentence


@pytest.mark.parametrize(
    ("flag", "fragment"),
    [
        ("--nonsense=1", "Unknown command line flag 'nonsense'"),
        ("--mode=fly", "--mode must be one of run, inspect, prepare, train"),
        ("--dataset=mnist", "--dataset must be one of amazon_reviews, digits_r"),
        ("--target_task=rot44", "--target_task=rot44 is not a task of this dataset"),
        ("--validation_task=rot44", "--validation_task=rot44 is not a task of this dataset"),
        ("--validation_task=none", "--validation_task=none is not a task of this dataset"),
        ("--validation_task=rot45", "both rot45"),
        ("--validation=columns", "--validation must be one of task, rows"),
        ("--validation=rows", "--validation_task=rot15 goes with --validation=task"),
        ("--support_size=0", "--support_size must be a whole number from 1"),
        ("--support_size=250", "needs at least 251"),
        ("--support_size=two", "--support_size must be a whole number from 1"),
        ("--num_selected=0", "--num_selected must be"),
        ("--num_selected=65", "--num_selected=65 is more than the 64 features"),
        ("--query_size=0", "--query_size must be"),
        ("--query_size=-3", "--query_size must be"),
        ("--episodes_per_step=0", "--episodes_per_step must be"),
        ("--steps=0", "--steps must be"),
        ("--steps=99999999999", "--steps must be"),
        ("--steps=1e3", "but received '1e3'"),
        ("--learning_rate=0", "--learning_rate must be a number from 1e-30 to 1e+30"),
        ("--learning_rate=-1", "--learning_rate must be"),
        ("--learning_rate=nan", "--learning_rate must be"),
        ("--learning_rate=inf", "--learning_rate must be"),
        ("--learning_rate=1e300", "--learning_rate must be"),
        ("--initial_temperature=1e-46", "--initial_temperature must be"),
        ("--initial_temperature=nan", "--initial_temperature must be"),
        ("--initial_temperature=0", "--initial_temperature must be"),
        ("--final_temperature=nan", "--final_temperature must be"),
        ("--final_temperature=-0.1", "--final_temperature must be"),
        ("--final_temperature=20", "--final_temperature must not be above initial_temperature, 10.0"),
        ("--noise=maybe", "--noise must be one of on, off"),
        ("--selection=best", "--selection must be one of argmax, unique"),
        ("--seed=-1", "--seed must be"),
        ("--seed=4294967296", "--seed must be"),
        ("--jit=yes", "--jit must be one of auto, on, off"),
        ("--threads=-1", "--threads must be"),
        ("--eval_every=0", "--eval_every must be"),
        ("--embedding_units=0", "--embedding_units must be"),
        ("--embedding_units=2000000000", "--embedding_units must be"),
        ("--episodes_per_step=2000000000", "not enough memory for a run of this size (one step's rows take"),
        ("--decoder_units=32,x", "--decoder_units must be whole numbers from 1"),
        ("--decoder_units=32,0", "--decoder_units must be"),
        ("--decoder_units=", "--decoder_units must be"),
        ("--selector_dim=0", "--selector_dim must be"),
        ("--task_code_dim=0", "--task_code_dim must be"),
        ("--pi_stddev=0", "--pi_stddev must be"),
        ("--pi_stddev=nan", "--pi_stddev must be"),
        ("--output_activation=relu6", "--output_activation must be one of"),
        ("--flagfile=nowhere.flags", "--flagfile=nowhere.flags is not there"),
        ("stray", "Expected flags only, but received 'stray'"),
    ],
)
def test_a_wrong_flag_is_refused_and_the_corrected_command_is_not(flag, fragment, run_main, tmp_path):
    workdir = Workdir(str(tmp_path / "run"))
    assert_refused(run_main(*SMALL, f"--workdir={workdir.path}", flag), fragment)
    assert not os.path.exists(workdir.file("checkpoints"))


def test_a_refused_run_leaves_nothing_that_refuses_the_corrected_command(run_main, tmp_path):
    flags = (*SMALL, f"--workdir={tmp_path}/run", "--mode=train", "--steps=5")
    assert_refused(run_main(*flags, "--num_selected=65"), "65")
    assert run_main(*flags).code == 0


def test_no_arguments_show_the_help_and_fail(capsys):
    from tffs.main import main

    assert main(["tffs"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "--flagfile=digits_r.flags" in captured.err


def test_missing_dataset_names_the_choices(run_main):
    assert_refused(run_main("--mode=train"), "--dataset or --table is missing", "digits_r")


@pytest.mark.parametrize(
    ("flags", "fragment"),
    [
        (("--support=s.csv",), "--mode=select needs --model"),
        (("--model=nowhere", "--support=s.csv"), "nowhere is not a folder"),
    ],
)
def test_select_says_what_it_needs(flags, fragment, run_main):
    assert_refused(run_main("--mode=select", *flags), fragment)


def test_a_folder_without_an_export_is_refused(run_main, tmp_path):
    assert_refused(
        run_main("--mode=select", f"--model={tmp_path}", "--support=s.csv"), "holds no exported model"
    )


def test_a_damaged_export_is_refused(run_main, finished, tmp_path):
    shutil.copytree(finished.exports, tmp_path / "export")
    pb = tmp_path / "export" / "1" / "saved_model.pb"
    os.truncate(pb, pb.stat().st_size // 2)
    assert_refused(
        run_main("--mode=select", f"--model={tmp_path}", f"--support={finished.file('support.csv')}"),
        "is not a model exported by this version of tffs, or it is damaged",
    )


def _csv(finished, change):
    with open(finished.file("support.csv"), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file]
    return "\n".join(",".join(cells) for cells in change(lines)) + "\n"


def _set(row, column, value):
    def change(lines):
        lines[row][column] = value
        return lines

    return change


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (lambda lines: [cells[:-1] for cells in lines], "lacks 1 of the model's 64 features: 'r7c7'"),
        (_set(2, 5, "seven"), "row 2, column 'r0c5': expected a number, but found 'seven'"),
        (_set(1, 0, "NaN"), "row 1, column 'r0c0' is missing"),
        (_set(1, 0, ""), "row 1, column 'r0c0' is missing"),
        (lambda lines: lines[:1], "has no rows"),
        (
            lambda lines: lines[:3],
            "takes 4 support rows of 64 features. Received: 2 rows of 64. Give",
        ),
        (lambda lines: [*lines, lines[1]], "5 rows of 64. Give exactly 4"),
    ],
)
def test_a_bad_support_file_is_refused(change, fragment, run_main, finished, tmp_path):
    path = tmp_path / "support.csv"
    path.write_text(_csv(finished, change), encoding="utf-8")
    assert_refused(run_main("--mode=select", f"--model={finished.path}", f"--support={path}"), fragment)


def test_a_missing_support_file_is_refused(run_main, finished):
    assert_refused(
        run_main("--mode=select", f"--model={finished.path}", "--support=nowhere.csv"),
        "--support=nowhere.csv is not there",
    )


def test_a_pickle_in_a_npy_file_is_never_loaded(run_main, finished, tmp_path):
    np.save(tmp_path / "s.npy", np.array([{}], object), allow_pickle=True)
    assert_refused(
        run_main("--mode=select", f"--model={finished.path}", f"--support={tmp_path}/s.npy"),
        "is not a .npy file of numbers",
    )


@pytest.mark.parametrize("flag", ["--seed=1", "--steps=301", "--num_selected=7", "--noise=off", "--jit=on"])
def test_a_workdir_of_another_run_says_which_flag_differs(flag, run_main, finished):
    name, value = flag[2:].split("=")
    outcome = run_main(*SMALL, f"--workdir={finished.path}", flag)
    assert_refused(outcome, "holds another run", f"--{name}=", f"(now {value})")
    kept = finished.read_json("config.json")[name]
    assert f"--{name}={kept} (now" in outcome.err
    after = run_main("--mode=evaluate", f"--workdir={finished.path}", flag)
    assert_refused(after, f"--{name}={kept} (now {value})")


def test_flags_that_do_not_change_the_result_are_not_compared(run_main, finished):
    assert run_main(*SMALL, f"--workdir={finished.path}", "--threads=2", "--cache=stream").code == 0


def test_a_workdir_that_cannot_be_written_is_refused(run_main, tmp_path):
    (tmp_path / "file").write_text("")
    assert_refused(run_main(*SMALL, f"--workdir={tmp_path}/file/run"), "cannot be written to")


@pytest.mark.parametrize("mode", ["evaluate", "export"])
def test_modes_after_training_refuse_a_folder_without_a_finished_run(mode, run_main, tmp_path, finished):
    assert_refused(run_main(f"--mode={mode}"), f"--mode={mode} needs --workdir")
    assert_refused(run_main(f"--mode={mode}", f"--workdir={tmp_path}/none"), "holds no run")
    os.makedirs(tmp_path / "half")
    shutil.copy(finished.file("config.json"), tmp_path / "half")
    assert_refused(run_main(f"--mode={mode}", f"--workdir={tmp_path}/half"), "holds no finished training")


def test_damaged_files_of_a_workdir_are_named(run_main, tmp_path, finished):
    shutil.copytree(finished.path, tmp_path / "run")
    os.remove(tmp_path / "run" / "result.json")
    os.truncate(tmp_path / "run" / "model.keras", 1000)
    assert_refused(run_main("--mode=evaluate", f"--workdir={tmp_path}/run"), "model.keras cannot be read")
    (tmp_path / "run" / "config.json").write_text('{"seed": 0')
    assert_refused(
        run_main("--mode=evaluate", f"--workdir={tmp_path}/run"), "config.json is not what tffs writes"
    )
    (tmp_path / "run" / "config.json").write_text('{"seed": 0}')
    assert_refused(
        run_main("--mode=evaluate", f"--workdir={tmp_path}/run"),
        "config.json is not what tffs writes (it lacks 'dataset')",
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [("config.json", "[]"), ("config.json", "null"), ("training.json", "{}"), ("result.json", '{"a": 1}')],
)
def test_json_of_another_shape_is_refused(name, content, run_main, tmp_path, finished):
    shutil.copytree(finished.path, tmp_path / "run")
    if name != "result.json":
        os.remove(tmp_path / "run" / "result.json")
    (tmp_path / "run" / name).write_text(content)
    outcome = run_main("--mode=evaluate", f"--workdir={tmp_path}/run")
    assert_refused(outcome, f"{name} is not what tffs writes")


def test_a_run_that_never_took_a_step_does_not_refuse_another(run_main, tmp_path, finished):
    os.makedirs(tmp_path / "run")
    shutil.copy(finished.file("config.json"), tmp_path / "run")
    outcome = run_main(*SMALL, f"--workdir={tmp_path}/run", "--mode=train", "--steps=5", "--seed=3")
    assert outcome.code == 0, outcome.err


def test_flag_files_may_name_others_and_bad_ones_are_named(run_main, tmp_path):
    files = {
        "outer.flags": "\ufeff# mine\n--flagfile=digits_r\n\n--mode=prepare\n",
        "self.flags": f"--flagfile={tmp_path}/self.flags\n",
        "stray.flags": "just words\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "binary.flags").write_bytes(b"\xff\xfe\x00")
    assert run_main(f"--flagfile={tmp_path}/outer.flags").code == 0
    assert_refused(run_main(f"--flagfile={tmp_path}/self.flags"), "self.flags names itself")
    assert_refused(run_main(f"--flagfile={tmp_path}/stray.flags"), "received 'just words'")
    assert_refused(run_main(f"--flagfile={tmp_path}/binary.flags"), "binary.flags must be a text file")
    assert_refused(run_main("--flagfile"), "is not there")


def test_a_second_process_in_the_same_workdir_is_refused(run_main, tmp_path):
    workdir = Workdir(str(tmp_path / "run"))
    with workdir.locked():
        assert_refused(run_main(*SMALL, f"--workdir={workdir.path}"), "Another process is working in")
