"""Train a run, alone or with other workers, or take up what was trained before."""

import contextlib
import dataclasses
from collections.abc import Iterator

from tffs.config import Command
from tffs.distribute.agreement import check_same_run
from tffs.distribute.cluster import cluster_of
from tffs.methods.catalogue import CONCRETE, method_of_runs
from tffs.methods.fit_record import FitRecord
from tffs.methods.fitted import FittedRun
from tffs.planning.setting import Setting, settle
from tffs.running.finished_run import finished, of_run
from tffs.running.watcher import Watcher
from tffs.training.workers import ALONE, Workers, losses_told
from tffs.workdir import Workdir


@contextlib.contextmanager
def owned(command: Command) -> Iterator[Workdir]:
    """Give the run's folder, locked for this process if it is the one that writes."""
    workdir = Workdir(command.workdir)
    cluster = cluster_of(command.distribute, command.run.data.episodes_per_step)
    with workdir.locked() if cluster is None or cluster.index == 0 else contextlib.nullcontext():
        yield workdir


def trained(command: Command, watcher: Watcher, workdir: Workdir) -> tuple[Setting, FittedRun] | None:
    """Train, alone or with other workers.

    Returns:
        The run and its model, to go on with; None on a worker that is not the chief, who alone goes on.
    """
    workers = _workers(command, watcher, workdir)
    with losses_told(workers, lambda: 0):  # once it trains, the trainer tells with its step
        table = command.place.table
        watcher.say(f"Loading {table.path if table else command.run.data.dataset} ...")
        setting = settle(command.run, command.place, watcher.say, watcher.share, watcher.signals.pending)
        check_same_run(setting, workers)
        fitted = _fitted(setting, command, watcher, workdir, workers)
    if workers.index == 0:
        with contextlib.suppress(*workers.losses):  # whoever is lost now is not needed any more
            workers.any(False)
        return setting, fitted
    with losses_told(workers, lambda: setting.config.training.steps):
        workers.any(False)  # which the chief answers when all is written
    watcher.say(f"Worker {workers.index} is done; worker 0 has the trained model.")
    return None


def _workers(command: Command, watcher: Watcher, workdir: Workdir) -> Workers:
    cluster = cluster_of(command.distribute, command.run.data.episodes_per_step)
    if cluster is None or (cluster.index == 0 and _ended(workdir)):  # then the others have ended, too
        return ALONE
    from tffs.distribute.joining import join

    workers = join(cluster, watcher.say)
    watcher.say(
        f"This is worker {workers.index} of {workers.count}: each trains on its share of every step's "
        "episodes, without --jit, because XLA cannot compile a loop that waits for other processes."
    )
    return workers


def _ended(workdir: Workdir) -> bool:
    """Tell whether the run is trained already."""
    return workdir.read_json("training.json") is not None


def _fitted(
    setting: Setting, command: Command, watcher: Watcher, workdir: Workdir, workers: Workers
) -> FittedRun:
    """Fit the method, or load what was fitted before; the chief writes the result."""
    chief = workers.index == 0
    if chief:
        workdir.claim(setting.config, command.place, command.given)
        if _ended(workdir):
            watcher.say(f"{workdir.path} is trained already; nothing to train.")
            return of_run(finished(workdir), setting, workdir)
    watcher.say(_announced(setting))
    session = dataclasses.replace(
        watcher.session(checkpoints=workdir.file("checkpoints") if chief else None),
        summaries=workdir.file("tensorboard") if chief else None,
        workers=workers,
    )
    with watcher.signals.deferred():
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
