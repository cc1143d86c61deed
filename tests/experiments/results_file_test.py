import json
import os

import pytest

from tffs.errors import UserError
from tffs.experiments.grid import Cell
from tffs.experiments.lines import done_cells, failed_line, head
from tffs.experiments.results_file import ResultsFile, read_lines


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


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "main.jsonl"
    path.write_text('{"split": 0}\nsplit 1\n', encoding="utf-8")
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


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, a disk without space")
def test_a_full_disk_is_said_and_leaves_no_half_line(tmp_path):
    path = tmp_path / "main.jsonl"
    with ResultsFile(str(path)).open() as results:
        results.append({"split": 0})
        with open("/dev/full", "r+b", buffering=0) as full:
            ours, results._file = results._file, full
            with pytest.raises(UserError, match="could not be written.*space left"):
                results.append({"split": 1})
            results._file = ours
    assert read_lines(str(path)) == [{"split": 0}]


def test_failed_cells_are_done_again_and_others_are_not():
    cells = [Cell(0, "a", 10, 2, "ours"), Cell(1, "a", 10, 2, "ours")]
    lines = [{**head(cells[0]), "status": "ok"}, failed_line(cells[1], "why")]
    assert done_cells(lines) == {cells[0]}
    assert done_cells([*lines, {**head(cells[1]), "status": "ok"}]) == set(cells)
    assert done_cells([{"status": "ok", "method": "ours"}]) == set()
    assert json.loads(json.dumps(lines[1]))["error"] == "why"
