"""The training of the Trainer component, by this process alone or by several workers together."""

import contextlib
import dataclasses
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from typing import Any

import data_builders
from pipelines.code_version import code, digest
from pipelines.left_out import LeftOut
from pipelines.scaled_rows import fingerprint, read_scaled
from pipelines.transformed import learned
from tffs.config import RunConfig
from tffs.distribute.agreement import check_same_run
from tffs.methods.catalogue import method_of_runs
from tffs.methods.fit_record import FitRecord
from tffs.methods.fitted import FittedRun
from tffs.planning.plan import named
from tffs.planning.setting import Setting, settle_scaled
from tffs.running.watcher import Verbose
from tffs.serving.export import describe, write_version
from tffs.serving.training_facts import training_facts
from tffs.training.session import Session
from tffs.training.workers import ALONE, Workers, losses_told
from tffs.tuning.tuned_run import with_flags
from tffs.workdir import Workdir


@dataclasses.dataclass(frozen=True)
class TrainingJob:
    """A training, as plain values that travel to other processes.

    Attributes:
        run: the flags of the run.
        transform_graph: the folder of what Transform has learned.
        files: patterns of the scaled source rows.
        model_run: where everything about the training goes.
        serving_model: where the model to serve goes.
    """

    run: dict[str, Any]
    transform_graph: str
    files: tuple[str, ...]
    model_run: str = ""
    serving_model: str = ""

    @classmethod
    def of(cls, fn_args: Any) -> "TrainingJob":
        """Take what TFX gives a module; what a Tuner found replaces the flags of the run."""
        run = RunConfig.from_flags(fn_args.custom_config["run"])
        if fn_args.hyperparameters:
            run = with_flags(run, fn_args.hyperparameters["values"])
        return cls(
            json.loads(json.dumps(run.to_flags())),
            fn_args.transform_graph_path,
            tuple(fn_args.train_files),
            fn_args.model_run_dir or "",
            fn_args.serving_model_dir or "",
        )

    @property
    def component(self) -> str:
        """The folder of the Trainer, in which every attempt has folders of its own."""
        return os.path.dirname(os.path.dirname(os.path.normpath(self.model_run)))


def setting_of(job: TrainingJob, scratch: str) -> Setting:
    """Read the scaled source rows and settle the run on them.

    Args:
        job: what is to be trained.
        scratch: a folder that has room for the rows.
    """
    run = RunConfig.from_flags(job.run)
    run = named(run, run.data.dataset or data_builders.TABLE)
    names, statistics = learned(job.transform_graph)
    tasks = read_scaled(list(job.files), names, scratch)
    return settle_scaled(run, tasks, statistics, say)


def train(job: TrainingJob, workers: Workers = ALONE, should_stop: Callable[[], bool] = lambda: False) -> None:
    """Train, or resume a training that was cut off, and write the model as a version to serve.

    Args:
        job: what to train.
        workers: who trains together; the first of them writes.
        should_stop: asked now and then; True saves and raises `Interrupted`.
    """
    with losses_told(workers, lambda: 0):
        setting = setting_of(job, job.model_run)
        check_same_run(setting, workers)
        chief = workers.index == 0
        workdir = Workdir(job.model_run)
        checkpoints = _checkpoints(job, setting)
        watcher = Verbose()
        session = Session(
            watcher.progress("Trainer"),
            say,
            should_stop,
            checkpoints if chief else None,
            workdir.file("tensorboard") if chief else None,
            workers,
            share=lambda doing, done: watcher.share(f"Trainer, {doing}", done),
        )
    try:
        fitted = method_of_runs(setting.config).fit(setting, session)
        left_out = LeftOut.measured(setting, fitted, session.share)
    finally:
        watcher.end()
    if chief:
        _write(job, setting, fitted, left_out)
        if os.path.isdir(checkpoints):  # none where nothing was trained by gradient descent
            shutil.move(checkpoints, workdir.file("checkpoints"))
        with contextlib.suppress(*workers.losses):  # whoever is lost now is not needed any more
            workers.any(False)
    else:
        with losses_told(workers, lambda: setting.config.training.steps):
            workers.any(False)  # which the chief answers when all is written


def say(sentence: str) -> None:
    """Print a note."""
    print(sentence, file=sys.stderr, flush=True)


def _write(job: TrainingJob, setting: Setting, fitted: FittedRun, left_out: LeftOut | None) -> None:
    workdir = Workdir(job.model_run)
    trained = setting.in_raw_units(fitted.model)
    with workdir.replacing("model.keras") as path:
        trained.save(path)
    workdir.write_json("config.json", setting.config.to_flags())
    workdir.write_json("code.json", code())
    workdir.write_json("training.json", FitRecord.of(fitted).to_json())
    description = describe(
        trained,
        setting.tasks.feature_names,
        (setting.config.data.support_size,),
        int(time.time()),  # versions that TFX pushes are numbered by the time
        setting.config.data.scaling or "none",
        setting.statistics,
        setting.classes,
        training_facts(setting, fitted, None if left_out is None else left_out.result),
    )
    write_version(trained, description, job.serving_model)
    if left_out is not None:
        left_out.write(os.path.dirname(os.path.normpath(job.serving_model)))


def _checkpoints(job: TrainingJob, setting: Setting) -> str:
    """Name the folder of the checkpoints until the training has ended.

    TFX gives every attempt a new folder and empties that of one that failed, so checkpoints are kept beside
    them, by what is trained on which rows by which code: the same training finds them again.
    """
    named = (setting.config.to_flags(), fingerprint(setting.tasks), digest())
    key = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()[:16]
    return os.path.join(job.component, "checkpoints", key)
