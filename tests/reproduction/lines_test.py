import json

import pytest

from reproduction.lines import load_lines, load_pictures, load_runs
from tests.reproduction.made_lines import failed, line, picture, run, write
from tffs.errors import UserError


def figures(folder):
    columns = ["file", "method", "split", "msre"]
    return set(load_lines(str(folder))[columns].itertuples(index=False, name=None))


def test_a_later_line_replaces_an_earlier_one_of_the_same_cell(tmp_path):
    write(tmp_path, "main", [line("d", "ours", 0, msre=1.0), line("d", "ours", 1, msre=2.0)])
    write(tmp_path, "main", [line("d", "ours", 0, msre=3.0)])
    assert figures(tmp_path) == {("main", "ours", 0, 3.0), ("main", "ours", 1, 2.0)}


def test_commands_and_pictures_are_not_results(tmp_path):
    write(tmp_path, "main", [line("d", "ours", msre=1.0)], ending=json.dumps(line("d", "cae_s"))[:-20])
    write(tmp_path, "main.runs", [run()])
    write(tmp_path, "main.pictures", [picture("ours")])
    assert figures(tmp_path) == {("main", "ours", 0, 1.0)}
    assert list(load_runs(str(tmp_path))["machine"]) == ["two cores"]
    assert [found["method"] for found in load_pictures(str(tmp_path))] == ["ours"]


def test_where_several_files_hold_a_cell_main_stands(tmp_path):
    write(tmp_path, "ablation", [line("d", "ours", msre=1.0), line("d", "ours_wo_r", msre=2.0)])
    write(tmp_path, "main", [line("d", "ours", msre=3.0)])
    assert figures(tmp_path) == {("main", "ours", 0, 3.0), ("ablation", "ours_wo_r", 0, 2.0)}


def test_trainings_of_different_length_are_both_kept(tmp_path):
    write(tmp_path, "main", [line("d", "ours", msre=1.0)])
    write(tmp_path, "short", [line("d", "ours", msre=2.0, steps=1000)])
    assert figures(tmp_path) == {("main", "ours", 0, 1.0), ("short", "ours", 0, 2.0)}


def test_a_failure_stands_only_where_there_is_no_figure(tmp_path):
    write(tmp_path, "main", [failed("d", "ours", 0), failed("d", "ours", 1)])
    write(tmp_path, "again", [line("d", "ours", 0, msre=1.0)])
    found = load_lines(str(tmp_path)).set_index("split")
    assert found["ok"].to_dict() == {0: True, 1: False}
    assert found["error"][1] == "ValueError: no"


def test_the_line_at_the_end_of_a_command_replaces_that_of_its_start(tmp_path):
    write(tmp_path, "main", [line("d", "ours", msre=1.0)])
    write(tmp_path, "main.runs", [run(wall_seconds=None, cells=None), run(), run(started="later")])
    assert list(load_runs(str(tmp_path))["wall_seconds"]) == [60.0, 60.0]


def test_a_line_that_is_no_result_is_named(tmp_path):
    write(tmp_path, "main", [line("d", "ours"), {**line("d", "ours"), "split": None}])
    with pytest.raises(UserError, match=r"Line 2 of .*main.jsonl has no 'split'"):
        load_lines(str(tmp_path))


def test_a_folder_without_results_is_said(tmp_path):
    with pytest.raises(UserError, match="expected a folder with files like main.jsonl"):
        load_lines(str(tmp_path / "missing"))
    write(tmp_path, "main", [], ending='{"half')
    with pytest.raises(UserError, match="no whole line yet"):
        load_lines(str(tmp_path))
