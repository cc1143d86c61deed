"""Trainer's module: the core's training, on rows that Transform has scaled."""

from typing import Any

from pipelines.training import TrainingJob, train


def run_fn(fn_args: Any) -> None:
    """Train, or resume a training that was cut off, and write the model as a version to serve.

    Args:
        fn_args: TFX's; `custom_config` has the flags of the run as `run` and, as `distribute`, whether several
            workers train; `hyperparameters`, where a Tuner ran before, those that it found.
    """
    job = TrainingJob.of(fn_args)
    if fn_args.custom_config.get("distribute") == "multi_worker":
        from pipelines.trainer_worker import train_with_workers

        train_with_workers(job)
    else:
        train(job)
