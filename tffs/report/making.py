"""Section 7: how the model was made, and the command that repeats it."""

import glob
import math
import os
import shlex
from collections.abc import Mapping
from typing import Any

from tffs.config.run import RUN_OPTIONS
from tffs.report.subject import Making
from tffs.report.wording import many
from tffs.serving.description import Description
from tffs.workdir import Workdir

_MISSING = {"median": "filled in with the source tasks' medians", "drop_rows": "rows with some were left out"}
_TABLE = {
    "table": "path",
    "task_column": "task_column",
    "feature_columns": "feature_columns",
    "label_column": "label_column",
    "ignore_columns": "ignore_columns",
}


def making_of_run(workdir: Workdir, result: Mapping[str, Any]) -> Making:
    """Say how the run in a folder was made."""
    config = workdir.read_json("config.json") or {}
    if not isinstance(config.get("table") or {}, dict) or not isinstance(config.get("given") or [], list):
        raise workdir.not_ours("config.json", "its table or its flags are no such thing")
    rows = result.get("source_rows") or {}
    facts = {
        "Data": str(result.get("dataset") or ""),
        "Source tasks": f"{many(len(rows), 'task')} with {sum(rows.values()):,} rows" if rows else "",
        **_columns(config.get("table") or {}),
        "Method": str(result.get("method") or "concrete"),
        **_chosen(result),
        "Scaling": str(result.get("scaling")),
        "Missing values": _MISSING.get(config.get("missing") or "", ""),
        "Rows known of a new task when it was measured": str(result["support_size"]),
        "Seed": str(result.get("seed")),
        "Fitting took": f"{result['train_seconds']:.1f} s",
        **_versions(result.get("versions") or {}),
    }
    return Making(
        {name: text for name, text in facts.items() if text}, command_of(config), training_steps(workdir)
    )


def making_of_model(training: Mapping[str, Any] | None, method: str) -> Making:
    """Say how a model was made of which there is no run's folder."""
    training = training or {}
    sources = training.get("source_tasks") or ()
    facts = {
        "Data": str(training.get("dataset") or ""),
        "Source tasks": many(len(sources), "task") if sources else "",
        "Method": method,
        **_chosen(training),
        "Seed": str(training.get("seed", "")),
        **_versions(training.get("software") or {}),
    }
    return Making({name: text for name, text in facts.items() if text})


def making_in_python(
    description: Description, result: Mapping[str, Any] | None, selector: str, missing: str
) -> Making:
    """Say how a selector was made that was fitted in Python.

    Args:
        description: of its model.
        result: what was measured on tasks left out, or None.
        selector: as Python writes it.
        missing: what was done with missing values.
    """
    made = making_of_model(description.training, description.method)
    rows = (result or {}).get("source_rows") or {}
    facts = {
        **made.facts,
        "Data": f"{many(description.num_features, 'feature')}, fitted in Python",
        "Source tasks": f"{many(len(rows), 'task')} with {sum(rows.values()):,} rows" if rows else "",
        "Scaling": description.scaling,
        "Missing values": _MISSING.get(missing, ""),
        "Rows known of a new task when it was measured": str((result or {}).get("support_size", "")),
    }
    told = {name: text for name, text in facts.items() if text}
    return Making(told, f"{selector}.fit(X, groups=groups)", in_python=True)


def _chosen(result: Mapping[str, Any]) -> dict[str, str]:
    """Say in words what a posterior's fit chose."""
    chosen = result.get("chosen")
    if not chosen:
        steps = result.get("steps")
        return {"Training": f"{steps:,} steps, of which {result['best_step']:,} was best"} if steps else {}
    recipe, residual = chosen["recipe"], chosen.get("residual") or {}
    decoder = f"a mixture of {recipe['components']} Gaussians" if recipe["components"] else "one Gaussian"
    decoder += f" of rank {chosen['rank']} and a diagonal" if chosen.get("rank") else ""
    decoder += ", corrected by a small network" if residual.get("kept") else ""
    if chosen.get("left_out"):
        decoder += f"; chosen on {many(chosen['left_out'], 'source task')} that were left out in turn"
    return {"Decoder": decoder}


def _columns(table: Mapping[str, Any]) -> dict[str, str]:
    """Say what the columns of a table are."""
    return {
        "A task is": f"one value of the column {table['task_column']}" if table.get("task_column") else "",
        "Columns left out": ", ".join(table.get("ignore_columns") or ()),
    }


def _versions(found: Mapping[str, str]) -> dict[str, str]:
    return {"Software": ", ".join(f"{name} {version}" for name, version in found.items())} if found else {}


def command_of(config: Mapping[str, Any]) -> str:
    """Give the command that repeats a run; empty where config.json does not tell, as before 0.9.0.

    A table is named without its folder, which is nobody's business in a page that is mailed.
    """
    if not config.get("given"):
        return ""
    table = config.get("table") or {}
    values: dict[str, Any] = {}
    for name in sorted(config["given"], key=lambda name: (name not in _TABLE and name != "dataset", name)):
        if name in _TABLE:
            values[name] = table.get(_TABLE[name])
        elif name in RUN_OPTIONS and name in config:
            values[name] = config[name]
    for name in ("table", "dataset"):
        if values.get(name):
            values[name] = os.path.basename(values[name])
    flags = [f"--{name}={_written(value)}" for name, value in values.items() if value is not None]
    return shlex.join(["python", "-m", "tffs.main", *flags])


def _written(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(f'"{one}"' if "," in str(one) else str(one) for one in value)
    return str(value)


def training_steps(workdir: Workdir) -> list[tuple[int, float]]:
    """Read the validated losses of a training from its event files; empty where there are none."""
    if not glob.glob(os.path.join(glob.escape(workdir.file("tensorboard")), "events*")):
        return []
    from tensorboard.backend.event_processing.event_accumulator import TENSORS, EventAccumulator
    from tensorboard.util.tensor_util import make_ndarray

    events = EventAccumulator(workdir.file("tensorboard"), size_guidance={TENSORS: 0})
    events.Reload()
    names = [name for name in events.Tags()["tensors"] if name.startswith("validation_")]
    found: dict[int, float] = {}
    for event in events.Tensors(names[0]) if names else ():
        loss = float(make_ndarray(event.tensor_proto))
        if math.isfinite(loss):  # what trains on all tasks in the end is not validated
            found[event.step] = loss
    return sorted(found.items())
