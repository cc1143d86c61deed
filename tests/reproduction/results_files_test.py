import json

import pytest

from tests.tables.lines import failed, line, picture, run, write
from tffs.errors import UserError
from tffs.tables.results_files import load, load_pictures, load_runs


def figures(folder):
    return {(result.name, result.method, result.split, result.msre) for result in load(str(folder))}


def test_a_later_line_replaces_an_earlier_one_of_the_same_cell(tmp_path):
    write(tmp_path, "main", [line("d", "ours", 0, msre=1.0), line("d", "ours", 1, msre=2.0)])
    write(tmp_path, "main", [line("d", "ours", 0, msre=3.0)])
    assert figures(tmp_path) == {("main", "ours", 0, 3.0), ("main", "ours", 1, 2.0)}


def test_a_line_that_a_kill_cut_short_is_passed_over(tmp_path):
    half = json.dumps(line("d", "cae_s", msre=1.0))[:-20]
    write(tmp_path, "main", [line("d", "ours", msre=1.0)], ending=half)
    assert figures(tmp_path) == {("main", "ours", 0, 1.0)}


def test_commands_and_pictures_are_not_results(tmp_path):
    write(tmp_path, "main", [line("d", "ours", msre=1.0)])
    write(tmp_path, "main.runs", [run()])
    write(tmp_path, "main.pictures", [picture("ours")])
    assert len(load(str(tmp_path))) == 1
    assert [found.machine for found in load_runs(str(tmp_path))] == ["two cores"]
    assert [found.method for found in load_pictures(str(tmp_path))] == ["ours"]


def test_where_several_files_hold_a_cell_main_stands(tmp_path):
    write(tmp_path, "ablation", [line("d", "ours", msre=1.0), line("d", "ours_wo_r", msre=2.0)])
    write(tmp_path, "main", [line("d", "ours", msre=3.0)])
    assert figures(tmp_path) == {("main", "ours", 0, 3.0), ("ablation", "ours_wo_r", 0, 2.0)}


def test_trainings_of_different_length_are_both_kept(tmp_path):
    write(tmp_path, "main", [line("d", "ours", msre=1.0)])
    write(tmp_path, "short", [line("d", "ours", msre=2.0, steps=1000)])
    assert {(result.steps, result.msre) for result in load(str(tmp_path))} == {(50000, 1.0), (1000, 2.0)}


def test_a_failure_stands_only_where_there_is_no_figure(tmp_path):
    write(tmp_path, "main", [failed("d", "ours", 0), failed("d", "ours", 1)])
    write(tmp_path, "again", [line("d", "ours", 0, msre=1.0)])
    found = {result.split: (result.ok, result.error) for result in load(str(tmp_path))}
    assert found == {0: (True, None), 1: (False, "ValueError: no")}


def test_a_figure_that_is_no_number_is_a_missing_one(tmp_path):
    write(tmp_path, "main", [line("d", "ours", msre=float("nan"), ari=5.0)])
    (found,) = load(str(tmp_path))
    assert (found.msre, found.ari) == (None, 5.0)


def test_the_line_at_the_end_of_a_command_replaces_that_of_its_start(tmp_path):
    write(tmp_path, "main", [line("d", "ours", msre=1.0)])
    write(tmp_path, "main.runs", [run(wall_seconds=None, cells=None), run(), run(started="later")])
    assert [(found.started[:4], found.wall_seconds) for found in load_runs(str(tmp_path))] == [
        ("2026", 60.0),
        ("late", 60.0),
    ]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"dataset": None}, "'dataset' should be a text and is None"),
        ({"split": "0"}, "'split' should be a whole number and is '0'"),
        ({"msre": "low"}, "'msre' should be a number or null and is 'low'"),
        ({"status": "fine"}, "'status' should be ok or failed and is 'fine'"),
    ],
)
def test_a_line_that_is_no_result_is_named(tmp_path, change, why):
    write(tmp_path, "main", [line("d", "ours"), {**line("d", "ours"), **change}])
    with pytest.raises(UserError, match="Line 2 of .*main.jsonl") as caught:
        load(str(tmp_path))
    assert why in str(caught.value)


def test_a_broken_line_in_the_middle_is_named(tmp_path):
    write(tmp_path, "main", [line("d", "ours")], ending='{"dataset": \n')
    write(tmp_path, "main", [line("d", "ours")])
    with pytest.raises(UserError, match="Line 2 of .*main.jsonl"):
        load(str(tmp_path))


@pytest.mark.parametrize(
    "change",
    [{"shape": [4]}, {"shape": ["4", 6]}, {"labels": [1]}, {"selected_indices": [24]}, {"originals": 3}],
)
def test_pictures_that_do_not_fit_are_named(tmp_path, change):
    write(tmp_path, "main", [line("d", "ours")])
    write(tmp_path, "main.pictures", [{**picture("ours"), **change}])
    with pytest.raises(UserError, match="Line 1 of .*main.pictures.jsonl"):
        load_pictures(str(tmp_path))


def test_a_folder_without_results_is_said(tmp_path):
    with pytest.raises(UserError, match="is no folder"):
        load(str(tmp_path / "missing"))
    with pytest.raises(UserError, match="expected files like main.jsonl"):
        load(str(tmp_path))
    write(tmp_path, "main", [], ending='{"half')
    with pytest.raises(UserError, match="no whole line yet"):
        load(str(tmp_path))
