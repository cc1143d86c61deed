"""--mode=train: train, or resume training."""

import contextlib
import dataclasses
from collections.abc import Iterator

import numpy as np

from tffs.config import Command
from tffs.distribute.agreement import check_same_run
from tffs.distribute.cluster import cluster_of
from tffs.errors import UserError
from tffs.methods.catalogue import CONCRETE, method_of_runs
from tffs.methods.fit_record import FitRecord
from tffs.methods.fitted import FittedRun
from tffs.models import RawUnitsSelector, load_model
from tffs.modes.console import Console
from tffs.planning.setting import Setting, settle
from tffs.training.workers import ALONE, Workers, losses_told
from tffs.workdir import Workdir


def train(command: Command, console: Console) -> None:
    """Train the run that the flags describe; a finished one is left as it is."""
    with owned(command) as workdir:
        if trained(command, console, workdir) is not None:
            console.show(f"Trained: {workdir.model}")


@contextlib.contextmanager
def owned(command: Command) -> Iterator[Workdir]:
    """Give the run's folder, locked for this process if it is the one that writes."""
    workdir = Workdir(command.workdir)
    cluster = cluster_of(command.distribute, command.run.data.episodes_per_step)
    with workdir.locked() if cluster is None or cluster.index == 0 else contextlib.nullcontext():
        yield workdir


def trained(command: Command, console: Console, workdir: Workdir) -> tuple[Setting, FittedRun] | None:
    """Train, alone or with other workers.

    Returns:
        The run and its model, to go on with; None on a worker that is not the chief, who alone goes on.
    """
    workers = _workers(command, console, workdir)
    with losses_told(workers, lambda: 0):  # once it trains, the trainer tells with its step
        table = command.place.table
        console.say(f"Loading {table.path if table else command.run.data.dataset} ...")
        setting = settle(command.run, command.place, console.say, console.share)
        check_same_run(setting, workers)
        fitted = _fitted(setting, command, console, workdir, workers)
    if workers.index == 0:
        with contextlib.suppress(*workers.losses):  # whoever is lost now is not needed any more
            workers.any(False)
        return setting, fitted
    with losses_told(workers, lambda: setting.config.training.steps):
        workers.any(False)  # which the chief answers when all is written
    console.say(f"Worker {workers.index} is done; worker 0 has the trained model.")
    return None


def _workers(command: Command, console: Console, workdir: Workdir) -> Workers:
    cluster = cluster_of(command.distribute, command.run.data.episodes_per_step)
    if cluster is None or (cluster.index == 0 and _ended(workdir)):  # then the others have ended, too
        return ALONE
    from tffs.distribute.joining import join

    workers = join(cluster, console.say)
    console.say(
        f"This is worker {workers.index} of {workers.count}: each trains on its share of every step's "
        "episodes, without --jit, because XLA cannot compile a loop that waits for other processes."
    )
    return workers


def _ended(workdir: Workdir) -> bool:
    """Tell whether the run is trained already."""
    return workdir.read_json("training.json") is not None


def _fitted(
    setting: Setting, command: Command, console: Console, workdir: Workdir, workers: Workers
) -> FittedRun:
    """Fit the method, or load what was fitted before; the chief writes the result."""
    chief = workers.index == 0
    if chief:
        workdir.claim(setting.config, command.place, command.given)
        if _ended(workdir):
            console.say(f"{workdir.path} is trained already; nothing to train.")
            return _of_run(finished(workdir), setting, workdir)
    console.say(_announced(setting))
    session = dataclasses.replace(
        console.session(checkpoints=workdir.file("checkpoints") if chief else None),
        summaries=workdir.file("tensorboard") if chief else None,
        workers=workers,
    )
    with console.signals.deferred():
        fitted = method_of_runs(setting.config).fit(setting, session)
    if chief:
        with workdir.replacing("model.keras") as path:
            setting.in_raw_units(fitted.model).save(path)
        workdir.write_json("training.json", FitRecord.of(fitted).to_json())
    return fitted


def _announced(setting: Setting) -> str:
    config, data = setting.config, setting.config.data
    sources = len(setting.split.train.names)
    trains = config.method == CONCRETE
    return (
        f"{'Training on' if trains else 'Fitting to'} {sources} source task{'s' * (sources != 1)} of "
        f"{data.name.shown}"
        + _validating(setting)
        + (f", holding out {data.held_out}" if data.held_out else ", holding no task out")
        + f": {config.model.num_selected} of {setting.tasks.num_features} features from "
        f"{data.support_size} rows"
        + (f" to tell {len(setting.classes)} classes apart" if setting.classes else "")
        + (f", {config.training.steps} steps." if trains else ".")
    )


def _validating(setting: Setting) -> str:
    if not setting.split.validation.names:
        return ""
    return f", validating on {setting.config.data.validation_task or 'their rows'}"


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


def _of_run(loaded: tuple[RawUnitsSelector, FitRecord], setting: Setting, workdir: Workdir) -> FittedRun:
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
def finished_run(command: Command, console: Console) -> Iterator[tuple[Setting, FittedRun, Workdir]]:
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
        setting = settle(stored, place, console.say, console.share)
        yield setting, _of_run(loaded, setting, workdir), workdir
