"""What comes out of a search: the table, the picture, the flag file, and the line while it runs."""

import dataclasses

import matplotlib.image
import pytest

from tests.tuning.searching import SPACE
from tffs import flags
from tffs.flags.best_flags import flag_file
from tffs.tuning.budget import budget_of
from tffs.tuning.plot import draw
from tffs.tuning.progress_line import progress_line
from tffs.tuning.table import table
from tffs.tuning.trial import DEFAULT, Figures, Job, Row, best_of
from tffs.tuning.tuned_run import own_flags

BUDGET = budget_of("hyperband", 4, 900)
FLAGS = {"learning_rate": 0.001, "selector_dim": 300, "decoder_units": "32,32"}


def row(trial, loss, steps=900, **changes):
    return Row(trial, {**FLAGS, **changes}, steps, Figures(loss, 9.5, 800, 20.0))


ROWS = [
    row(DEFAULT, 2.0),
    row("0", 1.5, 300, selector_dim=10),
    row("1", 2.5, selector_dim=20),
    row("2", 1.8, learning_rate=0.01, selector_dim=50, decoder_units="8"),
    Row("3", {**FLAGS, "learning_rate": 0.1}, 900, None, "The training loss became nan."),
]


def test_the_table_has_the_best_first_and_the_default_beside_it():
    text = table(ROWS, best_of(ROWS, 900), BUDGET, "MSRE")
    lines = text.splitlines()
    assert lines[0].split() == ["trial", "steps", "validation", "MSRE", "distinct", *FLAGS]
    assert [line.split()[0] for line in lines[1:5]] == ["2", "default", "1", "0"]
    assert lines[1].split() == ["2", "900", "1.8", "9.5", "0.01", "50", "8"]
    assert "4 trials of 3000 steps in all, as many as 3.33 full trainings" in text
    assert "It ended before 6 trials: there was nothing new to try" in text
    assert "1 of them were shortened: only those of 900 steps can be the best." in text
    assert "1 failed ('3'), the first because: The training loss became nan." in text
    assert "Best: trial 2, validation MSRE 1.8, 10.0 % below the default's 2, both after 900 steps." in text


def test_folds_are_counted_and_said():
    text = table(ROWS, best_of(ROWS, 900), dataclasses.replace(BUDGET, folds=5), "MSRE")
    assert "4 trials of 15000 steps in all, as many as 16.7 full trainings" in text
    assert "Every loss is the mean of 5 trainings, each validated on another source task." in text


def test_a_default_that_nothing_beats_is_the_best():
    rows = [row(DEFAULT, 1.0), row("0", 1.0), row("1", 0.5, 300)]
    assert best_of(rows, 900) is rows[0]
    assert "Nothing was better than the default: validation MSRE 1 after" in table(
        rows, rows[0], BUDGET, "MSRE"
    )


def test_the_picture_is_drawn_also_where_losses_are_equal_or_far_off(tmp_path):
    for rows in (ROWS, ROWS[:1], [row(DEFAULT, 1.0), row("0", 1.0), row("1", 1e9)]):
        path = tmp_path / "tuning.png"
        draw(str(path), rows, SPACE, BUDGET, "MSRE", "a $title")
        assert matplotlib.image.imread(path).shape[0] > 200


def test_the_line_says_what_is_done_what_is_best_and_how_long_it_takes():
    at_work = [(Job("4", FLAGS, 900), 0.5), (Job("5", FLAGS, 300), None)]
    text = progress_line(ROWS, at_work, BUDGET, 2)
    # 6 trainings of 3600 steps in all and the default, 20 s for 900 steps or less, two at a time.
    left = (4500 - 3900 - 450) * 80 / 3000 / 2
    assert text == f"4/6 trials  1 failed  best 1.8 (trial 2)  {left:.0f} s left  trial 4 (50 %)  trial 5"
    assert progress_line([], at_work[:1], BUDGET, 1) == "0/6 trials  trial 4 (50 %)"


@pytest.fixture
def table_file(tmp_path):
    path = tmp_path / "my rows.csv"
    path.write_text("who,a,b\n")
    return path


def test_a_flag_file_holds_the_whole_run_and_works_from_any_folder(table_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = (
        *("--mode=tune", "--table=my rows.csv", "--task_column=who", '--feature_columns=a,"b, c",d'),
        *("--label_column=kind", "--ignore_columns=x", "--scaling=standard", "--missing=median", "--seed=3"),
        *("--target_task=none", "--num_selected=2", "--loss=cross_entropy", "--steps=77", "--data_dir=tfds"),
    )
    command = flags.parse(["tffs", *given])
    assert command.workdir == "runs/my rows_tuning"
    tuned = {"learning_rate": 0.01701, "selector_dim": 50, "decoder_units": "8,9"}
    text = flag_file(command.run, command.place, tuned, command.workdir, ["Found\nby chance."])
    assert text.startswith("# Found by chance.\n")
    (tmp_path / "best.flags").write_text(text)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = flags.parse(["tffs", "--flagfile=../best.flags"])
    assert (again.mode, again.workdir) == ("run", "runs/my rows_tuning/best")
    assert again.place.table.path == str(table_file)
    assert again.place.table.feature_columns == ("a", "b, c", "d")
    assert again.place.table.ignore_columns == ("x",)
    assert again.place.data_dir == str(tmp_path / "tfds")
    expected = flags.parse(
        ["tffs", *given[1:], "--learning_rate=0.01701", "--selector_dim=50", "--decoder_units=8,9"]
    )
    assert again.run == expected.run
    assert own_flags(SPACE, again.run) == tuned
