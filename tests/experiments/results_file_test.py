import json
import pathlib
import subprocess
import sys

import pytest

from tffs import flags
from tffs.errors import UserError
from tffs.experiments.grid import Cell
from tffs.experiments.lines import done_cells, failed_line, head
from tffs.experiments.results_file import ResultsFile, read_lines

ROOT = pathlib.Path(__file__).parents[2]


def test_lines_come_back_as_they_were_appended(tmp_path):
    path = f"{tmp_path}/new/main.jsonl"
    lines = [{"split": 0, "msre": 1.25}, {"split": 1, "msre": None}]
    with ResultsFile(path).open() as results:
        for line in lines:
            results.append(line)
    assert read_lines(path) == lines
    assert read_lines(f"{tmp_path}/other.jsonl") == []


def test_a_line_that_a_kill_cut_short_is_passed_over_and_cut_off(tmp_path):
    path = tmp_path / "main.jsonl"
    path.write_text('{"split": 0}\n{"spl', encoding="utf-8")
    assert read_lines(str(path)) == [{"split": 0}]
    with ResultsFile(str(path)).open() as results:
        results.append({"split": 1})
    assert path.read_text(encoding="utf-8") == '{"split": 0}\n{"split": 1}\n'


@pytest.mark.parametrize("line", ["split 1", "[" * 100_000])
def test_a_damaged_line_is_named(line, tmp_path):
    path = tmp_path / "main.jsonl"
    path.write_text(f'{{"split": 0}}\n{line}\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"Line 2 of .*main.jsonl is no JSON object"):
        read_lines(str(path))


def test_two_processes_do_not_write_at_once(tmp_path):
    path = f"{tmp_path}/main.jsonl"
    with (
        ResultsFile(path).open(),
        pytest.raises(UserError, match="Another process is writing"),
        ResultsFile(path).open(),
    ):
        pass


def test_a_folder_that_cannot_be_written_to_is_said(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with (
        pytest.raises(UserError, match="could not be written.*--results_dir"),
        ResultsFile(f"{tmp_path}/file/main.jsonl").open(),
    ):
        pass


def test_a_full_disk_is_said_and_leaves_no_half_line(tmp_path):
    path = tmp_path / "main.jsonl"
    script = """
import resource, signal, sys
from tffs.errors import UserError
from tffs.experiments.results_file import ResultsFile
with ResultsFile(sys.argv[1]).open() as results:
    results.append({"split": 0})
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
    try:
        results.append({"split": 1})
    except UserError as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert "could not be written" in done.stdout
    assert "space left" in done.stdout
    assert done.stderr == ""
    assert path.read_text(encoding="utf-8") == '{"split": 0}\n'


def test_failed_cells_are_done_again_and_others_are_not():
    cells = [Cell(0, "a", 10, 2, "ours"), Cell(1, "a", 10, 2, "ours")]
    runs = {"a": flags.parse(["tffs", "--dataset=digits_r", "--seed=5", "--steps=100"]).run}
    fine = [{**head(cell), "status": "ok", "seed": 5 + cell.split, "steps": 100} for cell in cells]
    lines = [fine[0], failed_line(cells[1], "why")]
    assert done_cells(lines, runs) == {cells[0]: fine[0]}
    assert done_cells([*lines, fine[1]], runs) == dict(zip(cells, fine, strict=True))
    for other in ({**fine[0], "seed": 0}, {**fine[0], "steps": 50}, {"status": "ok", "dataset": "a"}):
        assert done_cells([other], runs) == {}
    assert done_cells(fine, {}) == {}
    assert json.loads(json.dumps(lines[1]))["error"] == "why"


def test_a_results_file_that_is_a_link_is_refused_and_its_target_left_alone(tmp_path):
    (tmp_path / "notes").write_text("no line of ours", encoding="utf-8")
    (tmp_path / "main.jsonl").symlink_to(tmp_path / "notes")
    with (
        pytest.raises(UserError, match="could not be written .it is a symbolic link"),
        ResultsFile(f"{tmp_path}/main.jsonl").open(),
    ):
        pass
    assert (tmp_path / "notes").read_text(encoding="utf-8") == "no line of ours"
