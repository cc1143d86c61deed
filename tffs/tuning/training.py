"""Train trials on data that is loaded once."""

import dataclasses
from collections.abc import Callable

import tensorflow as tf

from tffs.config import DataPlace, RunConfig
from tffs.errors import UserError, reason
from tffs.methods.catalogue import Trained
from tffs.planning.setting import Setting, settle
from tffs.training.progress import Watch
from tffs.training.session import Session
from tffs.training.trainer import TrainingSummary
from tffs.tuning.folds import PartOfProgress, folds_of
from tffs.tuning.trial import Figures, Job
from tffs.tuning.tuned_run import shortened, with_flags


def bench_of(
    run: RunConfig,
    place: DataPlace,
    folds: int = 1,
    say: Callable[[str], None] = lambda sentence: None,
    show: Callable[[str, float], None] = lambda doing, share: None,
) -> "Bench":
    """Load the data of a run to train its trials; what cannot be trained raises `UserError`.

    Args:
        run: as the flags give it.
        place: where the rows come from.
        folds: how many source tasks validate in turn.
        say: receives one-sentence notes for the person.
        show: is called with what is being done and the share of it that is done.
    """
    return Bench(settle(run, place, say, show), run, folds)


class Bench:
    """Trains trials of one run, one after the other.

    Args:
        setting: the run itself, ready to train.
        given: the same as the flags give it: shorter trials may be compiled or not, and other folds may have
            larger query sets.
        folds: how many source tasks validate in turn; a trial is trained once for each.

    Attributes:
        setting: the same.
        validating: the tasks that validate, in turn; empty where rows of all source tasks do.
    """

    def __init__(self, setting: Setting, given: RunConfig, folds: int = 1) -> None:
        self.setting = setting
        self._jit = given.training.jit
        self._folds = folds_of(setting, folds, given.data.query_size)
        tasks = [fold.config.data.validation_task for fold in self._folds]
        self.validating = [task for task in tasks if task is not None]

    def outcome(self, job: Job, progress: Watch) -> Figures | str:
        """Train; a training that fails gives the reason instead of figures."""
        try:
            return self._trained(job, progress)
        except UserError as error:
            return str(error)
        except (tf.errors.ResourceExhaustedError, MemoryError) as error:
            return f"There was not enough memory for it ({reason(error)})."
        except Exception as error:  # whatever it is, the other trials go on
            return f"{type(error).__name__}: {reason(error)}"
        finally:
            progress.end()

    def _trained(self, job: Job, progress: Watch) -> Figures:
        """Train once for every fold."""
        count = len(self._folds)
        parts = [
            self._train(job, fold, PartOfProgress(progress, number, count))
            for number, fold in enumerate(self._folds)
        ]
        return Figures(
            sum(part.validation_loss for part in parts) / count,
            sum(part.validation_distinct for part in parts) / count,
            parts[0].best_step,
            sum(part.train_seconds for part in parts),
        )

    def _train(self, job: Job, fold: Setting, progress: Watch) -> TrainingSummary:
        config = shortened(with_flags(fold.config, job.flags), job.steps, self._jit)
        setting = dataclasses.replace(fold, config=config)
        fitted = Trained().fit(setting, Session(progress))
        return fitted.summary
