"""keras-tuner's oracles, with a state on the disk that holds at any moment, and figures in and out of trials.

What keras-tuner 1.4.8 does by itself, and what is different here:

- It writes oracle.json and one trial.json a trial in place, one after the other. A kill between or inside of
  them leaves a trial that is never run, or a file that cannot be read. Here one file holds everything, whole.
- It saves before a trial that ended leaves the list of those at work, and runs it again after a kill. Here
  only what has no result is run again.
- A result that is reported twice, by a worker that outlived the chief, is averaged. Here the first one counts.
- The Bayesian oracle forgets where its random numbers were. Here a resumed search goes on as if undisturbed.
- A seed of 0 stands for any seed. Here it is a seed like the others.
- Three failures in a row end the search, and leave a lock behind. Here they do not.
"""

import json
import warnings
from collections.abc import Mapping
from typing import Any

import keras_tuner as kt
import numpy as np
from keras_tuner.engine.trial import Trial, TrialStatus
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from tffs.errors import UserError
from tffs.tuning.budget import FACTOR, Budget
from tffs.tuning.space import Choices, Space
from tffs.tuning.trial import Figures
from tffs.workdir import Workdir

FILE = "oracle.json"
OBJECTIVE = "validation_loss"
SUBJECT = "tffs/subject"  # a fixed hyperparameter that tells a worker what the chief searches
ERROR = "tffs/error"  # how a worker's error travels: the protocol has no other place for it
MOST_INITIAL, LEAST_INITIAL = 10, 3  # random trials before the Bayesian oracle has something to go by
_NEVER = 10**9


class _Kept(kt.Oracle):
    """The part of our oracles that keeps them.

    Attributes:
        failure: why the state could not be written, or None.
    """

    failure: UserError | None = None

    def keep_in(self, workdir: Workdir) -> None:
        """Keep the state in a folder, and go on from the one that is there."""
        self._workdir = workdir
        self.verbose = 0  # standard output is for results
        self.reload()

    def save(self) -> None:
        """Write everything into one file, whole or not at all."""
        trials = [trial.get_state() for trial in list(self.trials.values())]
        text = json.dumps({"oracle": self.get_state(), "trials": trials})
        try:
            with self._workdir.replacing(FILE) as part, open(part, "w", encoding="utf-8") as file:
                file.write(text)
        except UserError as error:  # maybe in a thread of gRPC, where nobody would hear of it
            self.failure = error
            raise

    def _save_trial(self, trial: Trial) -> None:
        """Do nothing: `save` writes the trials with the rest."""

    def reload(self) -> None:
        """Read the state that is there, if any; trials without a result wait to be run again."""
        stored = self._workdir.read_json(FILE)
        if stored is None:
            return
        try:
            self.trials = {state["trial_id"]: Trial.from_state(state) for state in stored["trials"]}
            self.set_state(stored["oracle"])
        except (KeyError, TypeError, ValueError) as error:
            raise self._workdir.not_ours(FILE, f"{type(error).__name__}: {error}") from error
        self.ongoing_trials: dict[str, Trial] = {}
        running = [trial for trial in self.start_order if self.trials[trial].status == TrialStatus.RUNNING]
        self._retry_queue = running[::-1]  # it is emptied from its end

    @kt.synchronized
    def update_trial(self, trial_id: str, metrics: Mapping[str, float], step: int = 0) -> Trial:
        """Take a trial's figures, once."""
        trial = self.trials[trial_id]
        if trial_id in self.end_order:
            return trial
        trial.metrics = type(trial.metrics)()
        super().update_trial(trial_id, metrics, step)
        self.save()
        return trial

    @kt.synchronized
    def end_trial(self, trial: Trial) -> None:
        """End a trial, once; its hyperparameters stay as they were given out, with all their digits."""
        if trial.trial_id in self.end_order:
            return
        trial.message = trial.hyperparameters.values.pop(ERROR, None)
        trial.hyperparameters = self.trials[trial.trial_id].hyperparameters
        if trial.trial_id in self._retry_queue:
            self._retry_queue.remove(trial.trial_id)
        super().end_trial(trial)


class _Random(_Kept, kt.oracles.RandomSearchOracle):
    """Random search."""


class _Hyperband(_Kept, kt.oracles.HyperbandOracle):
    """Hyperband, with parts of a full training for epochs."""


class _Bayesian(_Kept, kt.oracles.BayesianOptimizationOracle):
    """Bayesian optimization with a Gaussian process."""

    def populate_space(self, trial_id: str) -> dict[str, Any]:
        """Propose a trial, on one thread: its matrices are small, and the other cores are for trials."""
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of a kernel that few trials cannot settle
            return super().populate_space(trial_id)

    def get_state(self) -> dict[str, Any]:
        """Give the state, with that of the random numbers."""
        name, keys, *rest = self._random_state.get_state()
        return {**super().get_state(), "random_state": [name, keys.tolist(), *rest]}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        super().set_state(state)
        name, keys, *rest = state["random_state"]
        self._random_state.set_state((name, np.asarray(keys, np.uint32), *rest))


def make_oracle(
    tuner: str, budget: Budget, space: Space, seed: int, subject: Mapping[str, Any], workdir: Workdir
) -> _Kept:
    """Make an oracle, or go on with the one whose state the folder holds.

    Args:
        tuner: `random`, `bayesian` or `hyperband`.
        budget: how many trials.
        space: what is tuned.
        seed: of the run.
        subject: what is searched, for workers on other machines.
        workdir: where the state is kept.
    """
    common: dict[str, Any] = {
        "objective": kt.Objective(OBJECTIVE, "min"),
        "hyperparameters": _hyperparameters(space, subject),
        "seed": seed + 1,  # keras-tuner draws one for 0
        "allow_new_entries": False,
        "max_consecutive_failed_trials": _NEVER,
    }
    oracle: _Kept
    if tuner == "hyperband":
        sizes = {"max_epochs": budget.parts, "hyperband_iterations": budget.iterations}
        oracle = _Hyperband(factor=FACTOR, **sizes, **common)
    elif tuner == "bayesian":
        initial = max(LEAST_INITIAL, min(MOST_INITIAL, 2 * len(space)))
        oracle = _Bayesian(max_trials=budget.trainings, num_initial_points=initial, **common)
    else:
        oracle = _Random(max_trials=budget.trainings, **common)
    oracle.keep_in(workdir)
    return oracle


def finish(oracle: Any, trial: Trial, outcome: Figures | str) -> None:
    """Report the outcome of a trial.

    Args:
        oracle: an oracle, or keras-tuner's client of one in another process.
        trial: as the oracle gave it out.
        outcome: its figures, or why it failed.
    """
    trial = Trial.from_state(trial.get_state())  # the oracle's own changes when the oracle says so
    if isinstance(outcome, Figures):
        metrics = {OBJECTIVE: outcome.validation_loss, "distinct": outcome.distinct, "seconds": outcome.seconds}
        oracle.update_trial(trial.trial_id, metrics, step=outcome.best_step)
        trial.status = TrialStatus.COMPLETED
    else:
        trial.hyperparameters.values[ERROR] = outcome
        trial.status = TrialStatus.FAILED
    oracle.end_trial(trial)


def figures_of(trial: Trial) -> Figures | None:
    """Give the outcome of a trial that has ended, or None if it failed."""
    if trial.status != TrialStatus.COMPLETED:
        return None
    distinct, seconds = (float(trial.metrics.get_best_value(name)) for name in ("distinct", "seconds"))
    return Figures(float(trial.score), distinct, int(trial.best_step), seconds)


def _hyperparameters(space: Space, subject: Mapping[str, Any]) -> kt.HyperParameters:
    found = kt.HyperParameters()
    found.Fixed(SUBJECT, json.dumps(subject))
    for part in space:
        if isinstance(part, Choices):
            found.Choice(part.flag, list(part.choices))
        else:
            number = found.Int if part.whole else found.Float
            number(part.flag, part.low, part.high, step=part.step, sampling=part.scale)
    return found
