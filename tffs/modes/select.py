"""--mode=select: choose features for new rows with an exported model, from the disk or at a server."""

import json
from collections.abc import Callable

import numpy as np
import pandas as pd

from tffs.config import Command
from tffs.data.support_file import read_support
from tffs.errors import listed
from tffs.modes.console import Console
from tffs.serving.front_door import FrontDoor


def select(command: Command, console: Console) -> None:
    """Print the features that the model chooses for the rows in --support."""
    asked = command.select
    assert asked.support is not None
    with _model(command, lambda sentence: console.say(f"Note: {sentence}")) as model:
        description = model.describe()
        names, imputes = description.feature_names, description.missing == "median"
        rows = read_support(asked.support, names, console.say, imputes)
        missing = [names[feature] for feature in np.flatnonzero(np.isnan(rows).any(axis=0))]
        if missing:
            console.say(f"Note: the source tasks' medians fill in what is missing of {listed(missing)}.")
        # With names, because the version that chooses may be another than the one that was described.
        chosen = model.select(pd.DataFrame(rows, columns=list(names)))
    if asked.format == "json":
        lines = chosen.rename(columns={"feature": "name"})[["index", "name", "score"]]
        answer = {
            "model": asked.model if asked.server is None else asked.server,
            "version": chosen.attrs["version"],
            "selected": lines.to_dict("records"),
            "distinct": chosen["index"].nunique(),
        }
        console.show(json.dumps(answer, ensure_ascii=False))
    else:
        console.show(selection_table(chosen))


def _model(command: Command, note: Callable[[str], None]) -> FrontDoor:
    asked = command.select
    if asked.server is None:
        from tffs.serving.exported_model import ExportedModel  # imports TensorFlow, which a client does without

        assert asked.model is not None
        return ExportedModel(asked.model, note)
    from tffs.serving.client import Client

    return Client(asked.server, command.serve.model_name, note=note)


def selection_table(chosen: pd.DataFrame) -> str:
    """Write the chosen features as a table, one a selector."""
    width = max(len("feature"), *map(len, chosen["feature"]))
    lines = [f"{'selector':>8}  {'feature':<{width}}  {'index':>6}  {'score':>6}"]
    seen: dict[int, int] = {}
    for number, name, index, score in chosen.itertuples():
        again = f"  same as {seen[index]}" if index in seen else ""
        seen.setdefault(index, number)
        lines.append(f"{number:>8}  {name:<{width}}  {index:>6}  {score:>6.3f}{again}")
    lines.append(f"{len(seen)} distinct of {len(chosen)}")
    return "\n".join(lines)
