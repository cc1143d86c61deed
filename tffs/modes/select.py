"""--mode=select: choose features for new rows with an exported model."""

import dataclasses
import json
from collections.abc import Sequence

import numpy as np

from tffs.config import Command
from tffs.data.support_file import read_support
from tffs.errors import listed
from tffs.modes.console import Console
from tffs.serving.exported_model import ExportedModel, Selected


def select(command: Command, console: Console) -> None:
    """Print the features that the model chooses for the rows in --support."""
    model = ExportedModel(command.model)
    assert command.support is not None
    rows = read_support(command.support, model.feature_names, console.say, model.imputes)
    missing = [model.feature_names[feature] for feature in np.flatnonzero(np.isnan(rows).any(axis=0))]
    if missing:
        console.say(f"Note: the source tasks' medians fill in what is missing of {listed(missing)}.")
    outside = model.far_outside(rows)
    if outside:
        console.say(
            f"Note: {len(outside)} feature(s) are far outside what the source tasks showed; are the units "
            "right? " + "; ".join(outside[:3])
        )
    chosen = model.select(rows)
    distinct = len({feature.index for feature in chosen})
    if command.format == "json":
        answer = {
            "model": command.model,
            "version": model.version,
            "selected": [dataclasses.asdict(feature) for feature in chosen],
            "distinct": distinct,
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
