"""--mode=train: train, or resume training."""

import contextlib
import dataclasses
import hashlib
import json
from typing import Any

import numpy as np

from data_builders.table.options import content_of
from tffs.config import Command, shown_name
from tffs.errors import UserError
from tffs.models import load_model
from tffs.modes.console import Console
from tffs.planning.setting import Setting, settle
from tffs.training.trainer import Trainer, TrainingSummary
from tffs.training.workers import ALONE, Workers, losses_told
from tffs.workdir import Workdir


def train(command: Command, console: Console) -> Setting | None:
    """Train the run that the flags describe; a finished one is left as it is.

    Returns:
        The run, to go on with; None on a worker that is not the chief, who alone goes on.
    """
    workers: Workers = ALONE
    if command.cluster is not None and not (command.cluster.index == 0 and _ended(command)):
        from tffs.distribute.joining import join

        workers = join(command.cluster, console.say)
        console.say(
            f"This is worker {workers.index} of {workers.count}: each trains on its share of every step's "
            "episodes, without --jit, because XLA cannot compile a loop that waits for other processes."
        )
    with losses_told(workers, lambda: 0):  # once it trains, the trainer tells with its step
        setting = _train(command, console, workers)
    if workers.index == 0:
        with contextlib.suppress(*workers.losses):  # whoever is lost now is not needed any more
            workers.any(False)
        return setting
    with losses_told(workers, lambda: setting.config.training.steps):
        workers.any(False)  # which the chief answers when all is written
    console.say(f"Worker {workers.index} is done; worker 0 has the trained model.")
    return None


def _ended(command: Command) -> bool:
    """Tell whether the run is trained already, so that worker 0 goes on without the others, who have ended."""
    return Workdir(command.workdir).read_json("training.json") is not None


def _train(command: Command, console: Console, workers: Workers) -> Setting:
    table = command.place.table
    console.say(f"Loading {table.path if table else command.run.data.dataset} ...")
    setting = settle(command.run, command.place, console.say, console.share)
    config = setting.config
    check_same_run(setting, workers)
    workdir = Workdir(command.workdir)
    chief = workers.index == 0
    if chief:
        workdir.claim(config, command.place)
    if chief and _ended(command):
        console.say(f"{workdir.path} is trained already; nothing to train.")
        return setting
    data = config.data
    assert data.dataset is not None
    sources = len(setting.split.train.names)
    console.say(
        f"Training on {sources} source task{'s' * (sources != 1)} of {shown_name(data.dataset)}"
        + (f", validating on {data.validation_task}" if data.validation_task else ", validating on their rows")
        + (f", holding out {data.target_task}" if data.target_task != "none" else ", holding no task out")
        + f": {config.model.num_selected} of {setting.tasks.num_features} features from "
        f"{data.support_size} rows"
        + (f" to tell {len(setting.classes)} classes apart" if setting.classes else "")
        + f", {config.training.steps} steps."
    )
    model = setting.model()
    trainer = Trainer(
        model,
        setting.chunks(noisy=True),
        setting.validator(model),
        config.training,
        workdir.file("checkpoints") if chief else None,
        console.progress(),
        console.say,
        console.signals.pending,
        workdir.file("tensorboard") if chief else None,
        workers,
    )
    with console.signals.deferred():
        summary = trainer.fit()
    if chief:
        save_model(setting.in_raw_units(model), workdir)
        workdir.write_json("training.json", dataclasses.asdict(summary))
    return setting


def check_same_run(setting: Setting, workers: Workers) -> None:
    """Check that all workers train the same, or what they make together would be neither's.

    Their rows are the same if each task has as many and the source's least, greatest and mean values agree.
    """
    tasks, statistics = setting.tasks, setting.statistics
    named = (_told_flags(setting), tasks.task_names, tasks.offsets.tolist(), tasks.feature_names)
    digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode())
    for figures in (statistics.low, statistics.high, statistics.mean):
        digest.update(np.asarray(figures).tobytes())
    own = float(int(digest.hexdigest()[:12], 16))  # as many digits as a float64 keeps
    if workers.any(workers.from_chief([own])[0] != own):
        raise UserError(
            "The workers were started with different flags or have different data: give each the command of "
            "worker 0, with another index in TF_CONFIG."
        )


def _told_flags(setting: Setting) -> dict[str, Any]:
    """Give the flags of a run; a table by its content, because its file may have another name elsewhere."""
    values = setting.config.to_flags()
    return {**values, "dataset": content_of(values["dataset"])}


def save_model(model: Any, workdir: Workdir) -> None:
    """Write the trained model, whole or not at all."""
    with workdir.replacing("model.keras") as path:
        model.save(path)


def trained(workdir: Workdir) -> tuple[Any, TrainingSummary]:
    """Load the trained model of a finished run.

    Returns:
        The model with its best weights, in raw units, and how it was trained.
    """
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
        return model, TrainingSummary.from_json(figures)
    except TypeError as error:
        raise workdir.not_ours("training.json", str(error)) from error


def finished_setting(command: Command, console: Console) -> Setting:
    """Load the setting of the run in --workdir; flags that were given must agree with it."""
    workdir = Workdir(command.workdir)
    stored = workdir.stored_config()
    assert stored is not None  # checked before the folder was locked
    wanted = {
        name: value
        for name, value in command.run.to_flags().items()
        if name in command.given and value != "auto" and name != "query_size"  # which may have shrunk
    }
    workdir.check_same(stored, wanted)
    place = workdir.noted_place(command.place, "data_dir" in command.given)
    return settle(stored, place, console.say, console.share)
