"""--mode=reconstruct: infer all features of rows of which some were measured."""

import contextlib
import gzip
import os
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from tffs.config import Command
from tffs.data.values_file import ValuesFile
from tffs.errors import UserError
from tffs.modes.asking import model_name, opened, support_rows
from tffs.modes.completed_rows import Cells, Layout, completed, csv_texts, json_texts, layout
from tffs.modes.console import Console
from tffs.serving.front_door import FrontDoor
from tffs.serving.model_version import same_version
from tffs.whole_file import replacing


def reconstruct(command: Command, console: Console) -> None:
    """Write the rows of --values with all features, whole or not at all."""
    asked = command.question
    assert asked.values is not None
    _check_output(command)
    with opened(command, console) as model:
        description = model.describe()
        rows = support_rows(command, description, console)
        interval = _interval(command, description.ranks, console)
        names = description.feature_names
        values = ValuesFile(asked.values, names)
        columns = layout(values.kept, names, interval is not None)
        facts: dict[str, Any] = {
            "model": model_name(command),
            "method": description.method,
            "rows": 0 if rows is None else len(rows),
            "interval": interval,
        }
        parts = _completed(model, rows, values, columns, facts, console)
        texts = json_texts(columns, parts, facts) if asked.format == "json" else csv_texts(columns, parts)
        with _sink(asked.output, console) as write:
            for text in texts:
                write(text)
    if asked.output is not None:
        console.say(f"Wrote {values.rows} rows of {len(names)} features to {asked.output}.")


def _interval(command: Command, possible: bool, console: Console) -> float | None:
    if possible:
        return command.question.interval
    sentence = "this model gives no intervals, only values"
    if "interval" in command.given:
        raise UserError(f"--interval was given, but {sentence}: leave it out.")
    console.say(f"Note: {sentence}.")
    return None


def _completed(
    model: FrontDoor,
    rows: pd.DataFrame | None,
    values: ValuesFile,
    columns: Layout,
    facts: dict[str, Any],
    console: Console,
) -> Iterator[Cells]:
    """Complete the rows, some at a time; the version that does so is added to the facts."""
    versions, done = set(), 0
    for part in values.parts():
        if facts["interval"] is None:
            answers = (model.reconstruct(rows, part.values),)
        else:
            answers = model.reconstruct(rows, part.values, interval=facts["interval"])
        versions.add(answers[0].attrs["version"])
        facts["version"] = same_version(versions)
        done += len(part.values)
        console.share("Reconstructing", done / values.rows)
        yield completed(part, answers, columns)


def _check_output(command: Command) -> None:
    """Refuse a file that cannot be written, or that is also read, before anything is computed."""
    path = command.question.output
    if path is None:
        return
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise UserError(f"--output={path} cannot be written, because {folder} is not a folder: make it first.")
    if os.path.isdir(path):
        raise UserError(f"--output={path} is a folder: give the name of a file.")
    for name in ("values", "support"):
        read = getattr(command.question, name)
        if read is not None and os.path.exists(read) and os.path.exists(path) and os.path.samefile(read, path):
            raise UserError(f"--output={path} is the file of --{name}, which would be lost: give another name.")


@contextlib.contextmanager
def _sink(path: str | None, console: Console) -> Iterator[Callable[[str], None]]:
    """Give what takes the lines: a file that appears when it is whole, or standard output."""
    if path is None:
        yield console.show
        return
    with replacing(path) as temporary:
        opener = gzip.open if path.endswith(".gz") else open
        with opener(temporary, "wt", encoding="utf-8", newline="") as file:
            yield lambda text: print(text, file=file)
