"""--mode=train: train, or resume training."""

import dataclasses
from typing import Any

from tffs.config import Command, shown_name
from tffs.errors import UserError
from tffs.models import load_model
from tffs.modes.console import Console
from tffs.planning.setting import Setting, settle
from tffs.training.trainer import Trainer, TrainingSummary
from tffs.workdir import Workdir


def train(command: Command, console: Console) -> Setting:
    """Train the run that the flags describe; a finished one is left as it is."""
    table = command.place.table
    console.say(f"Loading {table.path if table else command.run.data.dataset} ...")
    setting = settle(command.run, command.place, console.say, console.share)
    workdir = Workdir(command.workdir)
    workdir.claim(setting.config, command.place)
    if workdir.read_json("training.json") is not None:
        console.say(f"{workdir.path} is trained already; nothing to train.")
        return setting
    config = setting.config
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
        workdir.file("checkpoints"),
        console.progress(),
        console.say,
        console.signals.pending,
        workdir.file("tensorboard"),
    )
    with console.signals.deferred():
        summary = trainer.fit()
    save_model(setting.in_raw_units(model), workdir)
    workdir.write_json("training.json", dataclasses.asdict(summary))
    return setting


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
    except (OSError, ValueError) as error:
        raise UserError(
            f"{workdir.model} cannot be read ({type(error).__name__}): delete "
            f"{workdir.file('training.json')} and give the run's command again; it resumes from its checkpoint."
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
