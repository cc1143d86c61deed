"""RESULTS.md is what --mode=tables makes of the committed lines, and nothing else."""

import pathlib
import shutil

ROOT = pathlib.Path(__file__).parents[2]


def test_the_committed_page_comes_out_of_one_command(tmp_path, run_main):
    shutil.copytree(ROOT / "results", tmp_path / "results", ignore=shutil.ignore_patterns("figures"))
    page = tmp_path / "RESULTS.md"
    done = run_main("--mode=tables", f"--results_dir={tmp_path}/results", f"--results_page={page}")
    assert done.code == 0, done.err
    assert page.read_text(encoding="utf-8") == (ROOT / "RESULTS.md").read_text(encoding="utf-8")
    drawn = {path.name for path in (tmp_path / "results" / "figures").iterdir()}
    assert drawn == {path.name for path in (ROOT / "results" / "figures").iterdir()}
