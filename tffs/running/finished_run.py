"""Load a run that was trained before."""

import contextlib
from collections.abc import Iterator

import numpy as np

from tffs.config import Command
from tffs.errors import UserError
from tffs.methods.catalogue import method_of_runs
from tffs.methods.fit_record import FitRecord
from tffs.methods.fitted import FittedRun
from tffs.models import RawUnitsSelector, load_model
from tffs.planning.setting import Setting, settle
from tffs.running.watcher import Watcher
from tffs.workdir import Workdir


def finished(workdir: Workdir) -> tuple[RawUnitsSelector, FitRecord]:
    """Load the model of a finished run, and how it was fitted."""
    figures = workdir.read_json("training.json")
    if figures is None:
        raise UserError(
            f"{workdir.path} holds no finished training: give its command again with --mode=train to finish it."
        )
    try:
        model = load_model(workdir.model)
    except UserError as error:
        raise UserError(
            f"{error} Delete {workdir.file('training.json')} and give the run's command again: it resumes from "
            "its checkpoint."
        ) from error
    try:
        return model, FitRecord.from_json(figures)
    except ValueError as error:
        raise workdir.not_ours("training.json", str(error)) from error


def of_run(loaded: tuple[RawUnitsSelector, FitRecord], setting: Setting, workdir: Workdir) -> FittedRun:
    """Check that a loaded model is of the run, as far as sizes and scaling tell."""
    model, record = loaded
    agree = {
        "selects {} features": (model.num_selected, setting.config.model.num_selected),
        "takes {} features": (model.num_features, setting.tasks.num_features),
        "tells {} classes apart": (model.num_classes or 0, len(setting.classes)),
        "has missing values filled in: {}": (model.imputes, setting.scaling.impute),
    }
    for what, (has, needs) in agree.items():
        if has != needs:
            raise _not_of_run(workdir, f"it {what.format(has)}, and the run {what.format(needs)}")
    if not np.allclose(model.scaling.width, setting.scaling.width, rtol=1e-3, atol=0.0):
        raise _not_of_run(workdir, "it scales features differently")
    try:
        return method_of_runs(setting.config).restored(model.selector, record)
    except ValueError as error:
        raise workdir.not_ours("training.json", str(error)) from error


def _not_of_run(workdir: Workdir, why: str) -> UserError:
    return UserError(
        f"{workdir.model} is not of the run in config.json ({why}): put back the one of them that was changed, "
        "or train in another --workdir."
    )


@contextlib.contextmanager
def finished_run(command: Command, watcher: Watcher) -> Iterator[tuple[Setting, FittedRun, Workdir]]:
    """Load the trained run in --workdir, locked; flags that were given must agree with it."""
    workdir = Workdir(command.workdir)
    stored = workdir.stored_config()
    if stored is None:
        raise UserError(
            f"--workdir={workdir.path} holds no run: give the folder of a trained run, or train one with "
            "--mode=train."
        )
    if stored.data.name.is_own_builder and "dataset" not in command.given:
        raise UserError(
            f"The run in {workdir.path} has rows of a builder of your own, and tffs runs such code only if you "
            f"name it: add --dataset={stored.data.dataset}."
        )
    wanted = {
        name: value
        for name, value in command.run.to_flags().items()
        if name in command.given and value != "auto"
    }
    if (wanted.get("query_size") or 0) > (stored.data.query_size or 0):
        del wanted["query_size"]  # which the smallest task may have shrunk
    with workdir.locked():
        workdir.check_same(stored, wanted, command.given)
        loaded = finished(workdir)
        place = workdir.noted_place(command.place, "data_dir" in command.given)
        setting = settle(stored, place, watcher.say, watcher.share, watcher.signals.pending)
        watcher.share("loading the model", 0.0)
        yield setting, of_run(loaded, setting, workdir), workdir
