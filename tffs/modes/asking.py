"""What all modes share that ask a trained model: opening it, the new task's rows, and what to say of these."""

import numpy as np
import pandas as pd

from tffs.config import Command
from tffs.data.support_file import read_support
from tffs.errors import UserError, listed
from tffs.modes.console import Console
from tffs.serving.description import Description
from tffs.serving.front_door import FrontDoor


def opened(command: Command, console: Console) -> FrontDoor:
    """Open the model that is asked, from the disk or at a server."""
    asked = command.question
    console.share("asking the model", 0.0)
    said = set()  # a mode may ask more than once, and get the same note

    def note(sentence: str) -> None:
        if sentence not in said:
            console.say(f"Note: {sentence}")
        said.add(sentence)

    if asked.server is None:
        from tffs.serving.exported_model import ExportedModel  # imports TensorFlow, which a client does without

        assert asked.model is not None
        return ExportedModel(asked.model, note)
    from tffs.serving.client import Client

    return Client(asked.server, command.serve.model_name, note=note)


def model_name(command: Command) -> str | None:
    """Name the model that is asked as the person did."""
    return command.question.model if command.question.server is None else command.question.server


def support_rows(command: Command, description: Description, console: Console) -> pd.DataFrame | None:
    """Read the new task's rows; None if there are none, and the model needs none."""
    path = command.question.support
    if path is None:
        if not description.ranks:
            raise UserError(
                f"--mode={command.mode} needs --support for this model, which takes {description.sizes_text} "
                "rows of the new task: give a CSV, Parquet, .npz or .npy file with them."
            )
        return None
    names, imputes = description.feature_names, description.missing == "median"
    rows = read_support(path, names, console.say, imputes)
    missing = [names[feature] for feature in np.flatnonzero(np.isnan(rows).any(axis=0))]
    if missing:
        console.say(f"Note: the source tasks' medians fill in what is missing of {listed(missing)}.")
    # With names, because the version that answers may be another than the one that was described.
    return pd.DataFrame(rows, columns=list(names))


def on_the_task(ranked: pd.DataFrame) -> list[str]:
    """Say how much is known of the task that was asked about."""
    rows, novelty = ranked.attrs["rows"], ranked.attrs["novelty"]
    if not rows:
        return ["No rows of the new task were given, so this is what the source tasks say of any task."]
    if novelty is None:
        return ["How unlike the source tasks the rows are is unknown: there were too few source tasks to tell."]
    return [f"Novelty of the rows: {novelty:.2f} (0.95 is more unusual than 95 % of the source tasks)"]
