import os
import shutil

import pytest

from tests.conftest import SMALL
from tffs.workdir import Workdir


@pytest.fixture
def copy(finished, tmp_path):
    return Workdir(shutil.copytree(finished.path, tmp_path / "run"))


def test_methods_are_added_to_the_figures_of_a_run_and_fitted_once(copy, run_main):
    before = copy.read_json("result.json")
    command = ("--mode=evaluate", f"--workdir={copy.path}", "--compare=random,ls_t,cae_st")
    outcome = run_main(*command)
    assert outcome.code == 0, outcome.err
    result = copy.read_json("result.json")
    assert set(result["yardsticks"]) == {"random", "variance", "ls_t", "cae_st"}
    assert {**result, "yardsticks": before["yardsticks"]} == before
    assert result["yardsticks"]["random"] == before["yardsticks"]["random"]
    assert result["yardsticks"]["cae_st"]["msre"] > 0
    assert result["yardsticks"]["ls_t"]["msre"] is None  # a ranking reconstructs nothing
    assert "cae_st, 6 features" in outcome.out
    written = os.stat(copy.file("result.json")).st_mtime_ns
    assert run_main(*command).out == outcome.out
    assert os.stat(copy.file("result.json")).st_mtime_ns == written


def test_a_run_compares_what_it_is_told_to_and_nothing_else(run_main, tmp_path):
    given = [flag for flag in SMALL if not flag.startswith("--steps")]
    outcome = run_main(*given, "--steps=20", "--compare=concrete", f"--workdir={tmp_path}/run")
    assert outcome.code == 0, outcome.err
    result = Workdir(f"{tmp_path}/run").read_json("result.json")
    (name, figures), *others = result["yardsticks"].items()
    assert (name, others) == ("concrete", [])
    assert figures["msre"] == result["msre"]  # it is the run's own method, on the same rows


def test_a_run_without_a_target_has_nothing_to_compare_on(copy, run_main, tmp_path):
    given = [flag for flag in SMALL if not flag.startswith(("--target", "--validation", "--steps"))]
    workdir = f"--workdir={tmp_path}/all"
    assert run_main(*given, "--target_task=none", "--steps=20", "--mode=train", workdir).code == 0
    outcome = run_main("--mode=evaluate", workdir, "--compare=random")
    assert outcome.code == 1
    assert "--compare measures methods on a held-out task, but this run has none" in outcome.err
