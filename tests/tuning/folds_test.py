"""Source tasks validate in turn, and a trial's loss is their mean."""

import numpy as np
import pytest

from tests.conftest import QUICK, SMALL
from tests.data_builders.table.files import write
from tests.tuning.training_test import OWN, Watched
from tffs import flags
from tffs.errors import UserError
from tffs.tuning.folds import folds_of
from tffs.tuning.training import bench_of
from tffs.tuning.trial import DEFAULT, Job

STEPS = 60


def bench_with(folds, data_dir, *more):
    given = [flag for flag in SMALL if "--validation=rows" not in more or "--validation_task" not in flag]
    given += [f"--steps={STEPS}", "--eval_every=30", f"--data_dir={data_dir}"]
    command = flags.parse(["tffs", *given, *more])
    return bench_of(command.run, command.place, folds)


def test_every_fold_validates_on_another_source_task_and_never_sees_the_target(data_dir):
    setting = bench_with(1, data_dir).setting
    folds = folds_of(setting, 5, setting.config.data.query_size)
    assert folds[0] is setting
    assert [fold.config.data.validation_task for fold in folds] == ["rot15", "rot0", "rot30", "rot60", "rot75"]
    source = set(setting.split.train.rows) | set(setting.split.validation.rows)
    for fold in folds:
        task = fold.config.data.validation_task
        assert fold.split.validation.names == (task,)
        assert set(fold.split.train.names) == {"rot0", "rot15", "rot30", "rot60", "rot75"} - {task}
        # The rows of all folds are those that the scaling was learned from.
        assert set(fold.split.train.rows) | set(fold.split.validation.rows) == source
        assert not source & set(fold.split.target_test)


def test_the_loss_of_a_trial_is_the_mean_of_the_runs_that_its_folds_are(data_dir):
    job, watched = Job(DEFAULT, OWN, STEPS), Watched()
    figures = bench_with(3, data_dir).outcome(job, watched)
    alone = [
        bench_with(1, data_dir, f"--validation_task={task}").outcome(job, Watched())
        for task in ("rot15", "rot0", "rot30")
    ]
    assert figures.validation_loss == pytest.approx(np.mean([one.validation_loss for one in alone]), rel=1e-6)
    assert figures.distinct == pytest.approx(np.mean([one.distinct for one in alone]))
    assert figures.best_step == alone[0].best_step
    assert len({one.validation_loss for one in alone}) == 3
    steps = [status.step for status in watched.statuses]
    assert steps == sorted(steps)
    assert (steps[-1], watched.statuses[-1].steps) == (3 * STEPS, 3 * STEPS)


@pytest.mark.parametrize(
    ("validation", "sizes"),
    [("small", {"small": 29, "b": 5, "c": 5}), ("b", {"b": 5, "c": 5, "small": 29})],
)
def test_a_small_task_shrinks_the_queries_of_the_folds_that_train_on_it(validation, sizes, tmp_path, data_dir):
    tasks = {"a": 40, "b": 40, "c": 40, "small": 10}
    rows = [f"{task},{row % 7},{row % 5}" for task, size in tasks.items() for row in range(size)]
    path = write(tmp_path / "t.csv", "\n".join(["task,x,y", *rows]))
    given = (f"--table={path}", "--task_column=task", "--target_task=a", f"--validation_task={validation}")
    command = flags.parse(["tffs", *QUICK, *given, f"--data_dir={data_dir}"])
    setting = bench_of(command.run, command.place).setting
    folds = [fold.config.data for fold in folds_of(setting, 3, command.run.data.query_size)]
    assert {data.validation_task: data.query_size for data in folds} == sizes


@pytest.mark.parametrize(
    ("folds", "more", "sentence"),
    [
        (6, [], "--tune_folds=6 needs as many source tasks, but there are 5: choose at most 5."),
        (2, ["--validation=rows"], "--tune_folds=2 lets source tasks validate in turn, but --validation=rows"),
    ],
)
def test_folds_that_cannot_be_are_refused(folds, more, sentence, data_dir):
    with pytest.raises(UserError) as caught:
        bench_with(folds, data_dir, *more)
    assert sentence in str(caught.value)
