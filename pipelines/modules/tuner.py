"""Tuner's module: the core's search, on rows that Transform has scaled."""

import sys
from typing import Any

import keras_tuner as kt
from keras_tuner.engine import base_tuner
from tfx.v1.components import TunerFnResult

from pipelines.training import TrainingJob, say, setting_of
from tffs.config import RunConfig, TuneConfig
from tffs.errors import UserError
from tffs.options import built
from tffs.training.objective import LOSSES
from tffs.training.progress import Progress
from tffs.tuning.budget import budget_of
from tffs.tuning.oracles import make_oracle
from tffs.tuning.space import Space, space_of
from tffs.tuning.subject import subject_of
from tffs.tuning.table import table
from tffs.tuning.training import Bench
from tffs.tuning.trial import DEFAULT, Job, Row, best_of, named
from tffs.tuning.trials import Trials
from tffs.workdir import Workdir


def tuner_fn(fn_args: Any) -> TunerFnResult:
    """Make the search.

    Args:
        fn_args: TFX's; `custom_config` has the flags of the run as `run`, those of the search as `tune`,
            and what it may change as `space`.
    """
    tune = built(TuneConfig, fn_args.custom_config["tune"])
    job = TrainingJob.of(fn_args)
    bench = Bench(setting_of(job, fn_args.working_dir), RunConfig.from_flags(job.run), tune.folds)
    return TunerFnResult(
        EpisodeTuner(tune, space_of(fn_args.custom_config["space"]), bench, fn_args.working_dir), {}
    )


class EpisodeTuner(base_tuner.BaseTuner):
    """A keras-tuner search whose trials are trainings of the core, one after the other.

    Args:
        tune: the tuner and its budget.
        space: what is tuned.
        bench: trains the trials.
        directory: where the search keeps its state.
    """

    def __init__(self, tune: TuneConfig, space: Space, bench: Bench, directory: str) -> None:
        config = bench.setting.config
        self._bench = bench
        self._budget = budget_of(tune.tuner, tune.trials, config.training.steps, tune.folds)
        self._loss_name = LOSSES[config.training.loss].shown
        workdir = Workdir(directory)
        subject = subject_of(tune, space, config)
        oracle = make_oracle(tune.tuner, self._budget, space, config.seed, subject, workdir)
        self._trials = Trials(oracle, space, self._budget, config, workdir)
        super().__init__(oracle, directory=directory, project_name="search")

    def search(self, *fit_args: Any, **fit_kwargs: Any) -> None:
        """Train the default and then what the oracle proposes, until it has had enough."""
        job: Job | str = self._trials.default_job
        while isinstance(job, Job):
            among = "" if job.trial == DEFAULT else f" of {self._budget.trainings}"
            label = f"Tuner, {named(job.trial)}{among}"
            self._trials.settle(job, self._bench.outcome(job, Progress(sys.stderr, label)))
            job = self._trials.proposed("tuner0")

    def get_best_hyperparameters(self, num_trials: int = 1) -> list[kt.HyperParameters]:
        """Give the flags of lowest validation loss; those that were there, where no trial has a lower one."""
        found = kt.HyperParameters()
        for flag, value in self._best().flags.items():
            found.Fixed(flag, value)
        return [found]

    def results_summary(self, num_trials: int = 10) -> None:
        """Print the trials, best first."""
        say(table(self._trials.rows(), self._best(), self._budget, self._loss_name))

    def search_space_summary(self, extended: bool = False) -> None:
        """Print nothing: the table of the results shows what was tuned."""

    def _best(self) -> Row:
        rows = self._trials.rows()
        best = best_of(rows, self._budget.steps)
        if best is None:
            raise UserError(f"None of {len(rows)} trainings gave a result, the first because: {rows[0].error}")
        return best
