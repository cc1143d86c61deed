"""A small grid in real processes: killed, resumed, with cells that fail, and turned into a page."""

import json
import os
import pathlib
import signal
import time

import pytest

from reproduction.page import main as page_of_the_paper
from tffs.experiments.results_file import read_lines

GRID = (
    *("--mode=experiment", "--datasets=digits_r", "--methods=ours,cae_s,cae_st,ls_t,random,all"),
    *("--support_sizes=2,4", "--numbers_selected=3", "--splits=2", "--workers=2"),
    *("--steps=200", "--eval_every=100", "--selector_dim=20", "--embedding_units=16", "--decoder_units=16"),
)
CELLS = 6 * 2 * 1 * 2
MEASURED = ("seconds", "select_seconds", "commit")  # what may differ between two runs


@pytest.fixture(scope="module")
def start(forks, data_dir):
    def start_in(folder, *more):
        return forks.start("tffs.main", *GRID, f"--data_dir={data_dir}", *more, cwd=folder)

    return start_in


def finish(process):
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def wait_for_lines(folder, process, count):
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline and process.poll() is None:
        if len(read_lines(f"{folder}/results/main.jsonl")) >= count:
            return
        time.sleep(0.02)
    raise AssertionError(f"{count} lines did not come: {process.communicate()}")


def children(process):
    text = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8")
    return [int(pid) for pid in text.split() if "spawn_main" in command_of(int(pid))]


def command_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def by_cell(folder):
    lines = read_lines(f"{folder}/results/main.jsonl")
    keys = ("dataset", "method", "support_size", "num_selected", "split")
    found = {tuple(line[key] for key in keys): line for line in lines}
    assert len(found) == len(lines)  # no cell twice
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, start):
    folder = tmp_path_factory.mktemp("undisturbed")
    code, out, err = finish(start(folder))
    assert code == 0, err
    assert "results/main.jsonl" in out
    assert "24 cells, 0 of them done already" in err
    return folder


def test_a_grid_gives_a_line_for_every_cell_and_method(undisturbed):
    found = by_cell(undisturbed)
    assert len(found) == CELLS
    for (_, method, support_size, _, split), line in found.items():
        assert (line["status"], line["error"], line["seed"]) == ("ok", None, split)
        assert (line["msre"] is None) == (method in ("ls_t", "all"))
        assert 0 <= line["nmi"] <= 100
        assert (line["selected"] is None) == (method == "all")
        assert line["seconds"] >= 0
        assert line["steps"] == 200
        assert line["target_task"] == found["digits_r", "ours", support_size, 3, split]["target_task"]
        assert line["target_task"] != line["validation_task"]
    shared = [found["digits_r", "cae_s", size, 3, 0] for size in (2, 4)]
    assert shared[0]["selected"] == shared[1]["selected"]
    assert shared[0]["seconds"] == shared[1]["seconds"]
    runs = read_lines(f"{undisturbed}/results/main.runs.jsonl")
    assert runs[-1]["cells"] == CELLS
    assert runs[-1]["workers"] == 2
    assert "--mode=experiment" in runs[-1]["command"]


def test_a_grid_killed_half_way_resumes_without_losing_or_repeating_a_cell(undisturbed, tmp_path, start):
    process = start(tmp_path)
    wait_for_lines(tmp_path, process, 5)
    workers = children(process)
    assert workers
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 60
    while any("spawn_main" in command_of(pid) for pid in workers):  # they notice that nobody listens
        assert time.monotonic() < deadline
        time.sleep(0.05)
    before = read_lines(f"{tmp_path}/results/main.jsonl")
    assert 5 <= len(before) < CELLS
    with open(tmp_path / "results" / "main.jsonl", "a", encoding="utf-8") as file:
        file.write('{"dataset": "digi')  # as a kill in the middle of a write would leave it
    code, _, err = finish(start(tmp_path, "--workers=1"))  # for what is left, and to the same end
    assert code == 0, err
    assert f"24 cells, {len(before)} of them done already" in err
    assert read_lines(f"{tmp_path}/results/main.jsonl")[: len(before)] == before
    expected = by_cell(undisturbed)
    resumed = by_cell(tmp_path)
    assert resumed.keys() == expected.keys()
    for cell, line in resumed.items():
        assert {k: v for k, v in line.items() if k not in MEASURED} == {
            k: v for k, v in expected[cell].items() if k not in MEASURED
        }


def test_stopped_by_a_signal_it_says_so_and_keeps_what_is_done(tmp_path, start):
    process = start(tmp_path, "--workers=1")
    wait_for_lines(tmp_path, process, 2)
    process.send_signal(signal.SIGTERM)
    code, _, err = finish(process)
    assert code == 128 + signal.SIGTERM
    assert "the same command goes on from what is saved" in err
    assert "Traceback" not in err
    lines = (tmp_path / "results" / "main.jsonl").read_text(encoding="utf-8")
    assert lines.endswith("\n")
    assert all(json.loads(line)["status"] == "ok" for line in lines.splitlines())
    page = (tmp_path / "results" / "main.md").read_text(encoding="utf-8")
    assert f"{len(lines.splitlines())} of 24 cells are done, 0 failed." in page


def test_cells_that_fail_are_recorded_and_do_not_stop_the_rest(tmp_path, start):
    more = ("--numbers_selected=3,65", "--methods=ours,ls_t", "--support_sizes=2", "--splits=3", "--steps=1000")
    process = start(tmp_path, *more, "--workers=1")  # one that has a line has surely started
    wait_for_lines(tmp_path, process, 1)
    os.kill(children(process)[0], signal.SIGKILL)  # a worker that runs out of memory ends like this
    code, _, err = finish(process)
    assert code == 1
    assert "Traceback" not in err
    found = by_cell(tmp_path)
    assert len(found) == 2 * 3 * 2
    too_many = [line for line in found.values() if line["num_selected"] == 65]
    died = [line for line in found.values() if "its process died (exit code -9)" in (line["error"] or "")]
    assert len(died) >= 1
    for line in too_many:
        assert line["status"] == "failed"
        assert line in died or "more than the 64 features" in line["error"]
    assert sum(line["status"] == "ok" for line in found.values()) >= 12 - len(too_many) - len(died) > 0
    assert "cells failed" in err
    page = (tmp_path / "results" / "main.md").read_text(encoding="utf-8")
    assert "more than the 64 features" in page.partition("## Failed")[2]
    again = (*more, "--cells=num_selected=3", "--workers=1")
    code, _, err = finish(start(tmp_path, *again))  # tries them again
    assert code == 0, err
    last = {
        (line["method"], line["split"]): line["status"]
        for line in read_lines(f"{tmp_path}/results/main.jsonl")
        if line["num_selected"] == 3
    }
    assert set(last.values()) == {"ok"}


def test_the_page_has_the_methods_side_by_side(undisturbed):
    text = (undisturbed / "results" / "main.md").read_text(encoding="utf-8")
    assert "24 of 24 cells are done, 0 failed. Last command: `python -m tffs.main --mode=experiment" in text
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## digits_r, K = 3, N_S = 2",
        "## digits_r, K = 3, N_S = 4",
    ]
    found = by_cell(undisturbed)
    mean = sum(found["digits_r", "ours", 4, 3, split]["msre"] for split in (0, 1)) / 2
    (row,) = [line for line in text.rpartition("## ")[2].splitlines() if line.startswith("| ours ")]
    assert f" {mean:.4g} (" in row
    assert row.startswith("| ours   |      2 |")


def test_the_reproduction_reads_what_a_grid_wrote(undisturbed, tmp_path):
    assert page_of_the_paper([f"--results_dir={undisturbed}/results", f"--page={tmp_path}/RESULTS.md"]) == 0
    found = by_cell(undisturbed)
    cells = [(size, split) for size in (2, 4) for split in (0, 1)]
    mean = sum(found["digits_r", "ours", size, 3, split]["msre"] for size, split in cells) / len(cells)
    lines = (tmp_path / "RESULTS.md").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("| digits_r ") and f"{mean:.3f}(" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mode=experiment",), "--mode=experiment needs --datasets"),
        (("--mode=experiment", "--datasets=digits_s"), "--flagfile=digits_s is not there"),
        ((*GRID, "--methods=ours,theirs"), "--methods must be some of posterior, "),
        ((*GRID, "--cells=method=cae_t"), "--cells: method=cae_t is not in this grid"),
        ((*GRID, "--cells=fold=1"), "--cells takes conditions"),
        ((*GRID, "--splits=0"), "--splits must be a whole number from 1"),
        ((*GRID, "--support_sizes=2,x"), "--support_sizes must be whole numbers"),
        ((*GRID, "--experiment=../x"), "--experiment must be a name"),
        ((*GRID, "--num_selected=5"), "decided for every cell of an experiment: use --numbers_selected"),
        ((*GRID, "--loss=cross_entropy"), "use --methods, such as ours_supervised"),
        ((*GRID, "--datasets=digits_r,digits_r"), "--datasets names 'digits_r' twice"),
        ((*GRID, "--cells=split=0,split=1"), "leaves no split: join values with |"),
        (("--mode=tables",), "--mode must be one of"),
    ],
)
def test_a_mistake_is_one_sentence(arguments, message, run_main):
    outcome = run_main(*arguments)
    assert outcome.code == 1
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_data_that_cannot_be_had_is_said_before_any_cell_fails(tmp_path, start):
    more = ("--datasets=isolet", f"--data_mirror={tmp_path}/nothing", f"--data_dir={tmp_path}/tfds")
    code, _, err = finish(start(tmp_path, *more, "--workers=1"))
    assert code == 1
    assert "Isolet1.mat" in err
    assert "Traceback" not in err
    assert read_lines(f"{tmp_path}/results/main.jsonl") == []
