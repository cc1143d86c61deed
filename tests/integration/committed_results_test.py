"""RESULTS.md is what `python -m reproduction.page` makes of the committed lines, and nothing else."""

import pathlib
import shutil

from reproduction.page import main

ROOT = pathlib.Path(__file__).parents[2]


def test_the_committed_page_comes_out_of_one_command(tmp_path):
    shutil.copytree(ROOT / "results", tmp_path / "results", ignore=shutil.ignore_patterns("figures"))
    page = tmp_path / "RESULTS.md"
    assert main([f"--results_dir={tmp_path}/results", f"--page={page}"]) == 0
    assert page.read_text(encoding="utf-8") == (ROOT / "RESULTS.md").read_text(encoding="utf-8")
    drawn = {path.name for path in (tmp_path / "results" / "figures").iterdir()}
    assert drawn == {path.name for path in (ROOT / "results" / "figures").iterdir()}
