"""Train trials on data that is loaded once."""

import dataclasses
from collections.abc import Callable

import tensorflow as tf

from tffs.config import DataPlace, RunConfig
from tffs.errors import UserError, reason
from tffs.planning.setting import Setting, settle
from tffs.training.progress import Watch
from tffs.training.trainer import Trainer
from tffs.tuning.trial import Figures, Job
from tffs.tuning.tuned_run import shortened, with_flags


def bench_of(
    run: RunConfig,
    place: DataPlace,
    say: Callable[[str], None] = lambda sentence: None,
    show: Callable[[str, float], None] = lambda doing, share: None,
) -> "Bench":
    """Load the data of a run to train its trials; what cannot be trained raises `UserError`.

    Args:
        run: as the flags give it.
        place: where the rows come from.
        say: receives one-sentence notes for the person.
        show: is told what is being done and which share of it is.
    """
    return Bench(settle(run, place, say, show), run.training.jit)


class Bench:
    """Trains trials of one run, one after the other.

    Args:
        setting: the run itself, ready to train.
        jit: as the flags give it: shorter trials may decide differently.

    Attributes:
        setting: the same.
    """

    def __init__(self, setting: Setting, jit: str) -> None:
        self.setting = setting
        self._jit = jit

    def outcome(self, job: Job, progress: Watch) -> Figures | str:
        """Train; a training that fails gives the reason instead of figures."""
        try:
            return self._train(job, progress)
        except UserError as error:
            return str(error)
        except (tf.errors.ResourceExhaustedError, MemoryError) as error:
            return f"There was not enough memory for it ({reason(error)})."
        except Exception as error:  # whatever it is, the other trials go on
            return f"{type(error).__name__}: {reason(error)}"

    def _train(self, job: Job, progress: Watch) -> Figures:
        config = shortened(with_flags(self.setting.config, job.flags), job.steps, self._jit)
        setting = dataclasses.replace(self.setting, config=config)
        model = setting.model()
        trainer = Trainer(
            model,
            setting.chunks(noisy=True),
            setting.validator(model),
            config.training,
            None,
            progress,
            lambda sentence: None,
        )
        summary = trainer.fit()
        return Figures(
            summary.validation_loss, summary.validation_distinct, summary.best_step, summary.train_seconds
        )
