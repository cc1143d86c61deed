"""--mode=select: choose features for new rows with an exported model, from the disk or at a server."""

import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tffs.config import Command
from tffs.data.support_file import read_support
from tffs.errors import listed
from tffs.modes.console import Console
from tffs.serving.description import Description
from tffs.serving.selected import Selected

if TYPE_CHECKING:
    from tffs.serving.client import Client


# Rows [N_S, M] to the version that chose and what it chose.
Choose = Callable[[np.ndarray], tuple[int, list[Selected]]]


def select(command: Command, console: Console) -> None:
    """Print the features that the model chooses for the rows in --support."""
    if command.select.server is None:
        model = command.select.model
        assert model is not None
        _show(command, console, model, *_from_disk(model))
        return
    from tffs.serving.client import Client

    with Client(command.select.server, command.serve.model_name) as client:
        _show(command, console, command.select.server, *_from_server(client))


def _from_disk(path: str) -> tuple[Description, Choose]:
    from tffs.serving.exported_model import ExportedModel  # imports TensorFlow, which a client does without

    model = ExportedModel(path)

    def choose(rows: np.ndarray) -> tuple[int, list[Selected]]:
        return model.description.version, model.select(rows)

    return model.description, choose


def _from_server(client: "Client") -> tuple[Description, Choose]:
    import pandas as pd

    description = client.describe()

    def choose(rows: np.ndarray) -> tuple[int, list[Selected]]:
        # With names, because the version that chooses may be another than the one that was described.
        chosen = client.select(pd.DataFrame(rows, columns=list(description.feature_names)))
        columns = (chosen["index"].tolist(), chosen["feature"].tolist(), chosen["score"].tolist())
        return chosen.attrs["version"], [Selected(*line) for line in zip(*columns, strict=True)]

    return description, choose


def _show(command: Command, console: Console, source: str, description: Description, choose: Choose) -> None:
    assert command.select.support is not None
    names, imputes = description.feature_names, description.missing == "median"
    rows = read_support(command.select.support, names, console.say, imputes)
    missing = [names[feature] for feature in np.flatnonzero(np.isnan(rows).any(axis=0))]
    if missing:
        console.say(f"Note: the source tasks' medians fill in what is missing of {listed(missing)}.")
    outside = description.far_outside(rows)
    if outside:
        console.say(
            f"Note: {len(outside)} feature(s) are far outside what the source tasks showed; are the units "
            "right? " + "; ".join(outside[:3])
        )
    version, chosen = choose(rows)
    if command.select.format == "json":
        answer = {
            "model": source,
            "version": version,
            "selected": [dataclasses.asdict(feature) for feature in chosen],
            "distinct": len({feature.index for feature in chosen}),
        }
        console.show(json.dumps(answer, ensure_ascii=False))
    else:
        console.show(selection_table(chosen))


def selection_table(chosen: Sequence[Selected]) -> str:
    """Write the chosen features as a table, one a selector."""
    width = max(len("feature"), *(len(feature.name) for feature in chosen))
    lines = [f"{'selector':>8}  {'feature':<{width}}  {'index':>6}  {'score':>6}"]
    seen: dict[int, int] = {}
    for number, feature in enumerate(chosen, start=1):
        again = f"  same as {seen[feature.index]}" if feature.index in seen else ""
        seen.setdefault(feature.index, number)
        lines.append(f"{number:>8}  {feature.name:<{width}}  {feature.index:>6}  {feature.score:>6.3f}{again}")
    lines.append(f"{len(seen)} distinct of {len(chosen)}")
    return "\n".join(lines)
