"""All trials of a search: which comes next, and the outcome of those before it."""

import json
from typing import Any

from keras_tuner.engine.trial import Trial, TrialStatus

from tffs.config import RunConfig
from tffs.tuning.budget import Budget
from tffs.tuning.oracles import figures_of, finish
from tffs.tuning.space import Space, tuned_flags
from tffs.tuning.trial import DEFAULT, Figures, Job, Row
from tffs.tuning.tuned_run import own_flags
from tffs.workdir import Workdir

TRIALS, MEASURED = "trials.jsonl", "default.json"


class Trials:
    """The oracle's trials and the default, which is trained beside them and at the same budget.

    Args:
        oracle: proposes trials and receives their outcomes.
        space: what is tuned.
        budget: how long a trial is trained.
        run: with its own values for the tuned flags.
        workdir: where the default's figures and the list of all trials are kept.
    """

    def __init__(self, oracle: Any, space: Space, budget: Budget, run: RunConfig, workdir: Workdir) -> None:
        self._oracle = oracle
        self._space = space
        self._workdir = workdir
        self._at_work: dict[str, Trial] = {}
        self.budget = budget
        self.default_job = Job(DEFAULT, own_flags(space, run), budget.steps)
        self._default = self._stored_default()

    @property
    def default_is_known(self) -> bool:
        """Tell whether the run with its own flags was measured."""
        return self._default is not None

    @property
    def all_have_ended(self) -> bool:
        """Tell whether as many trials have ended as were planned."""
        return len(self._oracle.end_order) >= self.budget.trainings

    def proposed(self, worker: str) -> Job | str:
        """Ask the oracle what a worker is to train.

        Returns:
            The job, or keras-tuner's status: IDLE to ask again later, STOPPED when the search is over.
        """
        trial = self._oracle.create_trial(worker)
        if trial.status != TrialStatus.RUNNING:
            return trial.status
        self._at_work[trial.trial_id] = trial
        return self.job(trial)

    def job(self, trial: Trial) -> Job:
        """Give what a trial of the oracle is to train."""
        return job_of(trial, self._space, self.budget)

    def settle(self, job: Job, outcome: Figures | str) -> Row:
        """Keep the outcome of a job."""
        row = _row(job, outcome)
        if job.trial == DEFAULT:
            self._workdir.write_json(MEASURED, row.to_json())
            self._default = row
        else:
            finish(self._oracle, self._at_work.pop(job.trial), outcome)
        self.write()
        return row

    def rows(self) -> list[Row]:
        """List the trials that have ended, the default first, then in the order they began."""
        rows = [] if self._default is None else [self._default]
        # The oracle lists a trial here when it has its score; its status changes before, in a thread of gRPC.
        ended = set(self._oracle.end_order)
        for number in list(self._oracle.start_order):
            if number in ended:
                trial = self._oracle.trials[number]
                outcome = figures_of(trial) or trial.message or "It gave no reason."
                rows.append(_row(self.job(trial), outcome))
        return rows

    def write(self) -> None:
        """Write the list of all trials, for people and their programs."""
        with self._workdir.replacing(TRIALS) as part, open(part, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row.to_json()) + "\n" for row in self.rows())

    def _stored_default(self) -> Row | None:
        stored = self._workdir.read_json(MEASURED)
        if stored is None:
            return None
        try:
            names = Figures.__dataclass_fields__
            figures = Figures(**{name: stored[name] for name in names}) if stored["status"] == "ok" else None
            return Row(DEFAULT, stored["flags"], stored["steps"], figures, stored["error"])
        except KeyError as error:
            raise self._workdir.not_ours(MEASURED, f"it lacks {error}") from error


def job_of(trial: Trial, space: Space, budget: Budget) -> Job:
    """Give what a trial is to train: Hyperband's early rungs are shorter."""
    values = trial.hyperparameters.values
    steps = budget.steps_of(values.get("tuner/epochs", budget.parts))
    return Job(trial.trial_id, tuned_flags(space, values), steps)


def _row(job: Job, outcome: Figures | str) -> Row:
    if isinstance(outcome, str):
        return Row(job.trial, job.flags, job.steps, None, outcome)
    return Row(job.trial, job.flags, job.steps, outcome)
