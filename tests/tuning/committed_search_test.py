"""The search on digits_r that is committed: what its files say of each other."""

import json
import pathlib

import pytest

from tffs import flags
from tffs.tuning.search_space import read_space
from tffs.tuning.tuned_run import own_flags

FOLDER = pathlib.Path(__file__).parents[2] / "benchmarks" / "results" / "tune_digits_r"


@pytest.fixture(scope="module")
def search():
    return flags.parse(["tffs", "--flagfile=tune_digits_r.flags"])


@pytest.fixture(scope="module")
def rows():
    return [json.loads(line) for line in (FOLDER / "trials.jsonl").read_text().splitlines()]


def test_it_is_the_published_search_and_whole(search, rows):
    assert rows[0]["trial"] == "default"
    assert rows[0]["flags"] == own_flags(read_space(search.tune.search_space, search.run), search.run)
    assert len(rows) == 1 + search.tune.trials
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["steps"] for row in rows} == {search.run.training.steps}


def test_its_best_is_no_worse_than_the_default_after_as_many_steps_and_is_what_best_flags_train(search, rows):
    best = min(rows, key=lambda row: row["validation_loss"])
    assert best["validation_loss"] <= rows[0]["validation_loss"]
    found = flags.parse(["tffs", f"--flagfile={FOLDER / 'best.flags'}"])
    assert own_flags(read_space(search.tune.search_space, search.run), found.run) == best["flags"]
    assert (found.mode, found.run.training.steps) == ("run", best["steps"])
    assert (FOLDER / "table.txt").read_text().splitlines()[1].split()[0] == best["trial"]
