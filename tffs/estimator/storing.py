"""A fitted selector as files: its own folder, or a SavedModel for TF Serving."""

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tffs.errors import UserError, reason
from tffs.finite import finite
from tffs.serving.client import Client
from tffs.serving.description import Description
from tffs.serving.front_door import FrontDoor
from tffs.whole_file import replacing

if TYPE_CHECKING:
    from tffs.estimator.selector import FewShotFeatureSelector
    from tffs.serving.model_in_memory import ModelInMemory

FILE, MODEL, FORMAT = "selector.json", "model.keras", 1
_NOT_STORED = ("checkpoint_dir",)  # it is of the fit


def save(selector: "FewShotFeatureSelector", path: str) -> None:
    """Write a selector into a folder; what was there of an earlier one is replaced.

    Args:
        selector: is fitted. What can be measured of it is measured first, as the rows do not go with it.
        path: the folder.
    """
    door = _in_memory(selector._door, "save")
    if os.path.lexists(path) and not os.path.isdir(path):
        raise UserError(f"{path} is a file: give the name of a folder.")
    if os.path.isdir(path) and os.listdir(path) and not os.path.isfile(os.path.join(path, FILE)):
        raise UserError(f"{path} holds other files than those of a saved selector: give a new folder.")
    facts = selector._figures.facts_or_none()
    support = selector._support
    stored = {
        "format": FORMAT,
        "parameters": _parameters(selector),
        "named": hasattr(selector, "feature_names_in_"),
        "description": door.description.to_json(),
        "support": None if support is None else np.asarray(support, np.float64).tolist(),
        "figures": facts,
    }
    try:
        os.makedirs(path, exist_ok=True)
        with replacing(os.path.join(path, MODEL)) as part:
            door.model.save(part)
        with replacing(os.path.join(path, FILE)) as part, open(part, "w", encoding="utf-8") as file:
            json.dump(finite(stored), file, ensure_ascii=False, indent=1, allow_nan=False)
    except OSError as error:
        raise UserError(f"{path} could not be written ({reason(error)}): give a folder that can be.") from error


def stored(path: str) -> dict[str, Any]:
    """Read what `save` wrote beside the model."""
    file = os.path.join(path, FILE)
    try:
        with open(file, encoding="utf-8") as opened:
            values = json.load(opened)
        if values["format"] != FORMAT:
            raise ValueError(f"its format is {values['format']}")
        values["description"] = Description.from_json(values["description"])
        names = values["description"].feature_names
        if values["support"] is not None:
            values["support"] = pd.DataFrame(values["support"], columns=list(names), dtype=np.float64)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(
            f"{file} is not what this version of tffs saves ({reason(error)}): save the selector again."
        ) from error
    return values


def export(door: FrontDoor, path: str) -> str:
    """Write a new version of the SavedModel; returns its path."""
    model = _in_memory(door, "export")
    from tffs.serving.export import export_described

    return export_described(model.model, model.description, path)


def _in_memory(door: FrontDoor, what: str) -> "ModelInMemory":
    """Give the Keras model that a selector asks; that of an export is in the workdir that it was made in."""
    if isinstance(door, Client):
        raise UserError(f"This selector asks a server, so there is nothing to {what}: load the place again.")
    from tffs.models import load_model
    from tffs.serving.exported_model import ExportedModel
    from tffs.serving.model_in_memory import ModelInMemory

    if isinstance(door, ModelInMemory):
        return door
    assert isinstance(door, ExportedModel)
    workdir = os.path.dirname(os.path.dirname(os.path.abspath(door.path)))
    if not os.path.isfile(os.path.join(workdir, MODEL)):
        raise UserError(
            f"This selector asks the export {door.path}, and the Keras model that it was made of is not beside "
            f"it, so there is nothing to {what}: copy the export instead."
        )
    return ModelInMemory(load_model(workdir), door.description)


def _parameters(selector: "FewShotFeatureSelector") -> dict[str, Any]:
    values = {name: value for name, value in selector.get_params(deep=False).items() if name not in _NOT_STORED}
    if not isinstance(values["random_state"], int | np.integer):  # a generator is no JSON
        values["random_state"] = None
    return _plain(values)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Give parameters as JSON can hold them."""
    plain = {}
    for name, value in values.items():
        if isinstance(value, pd.Series):
            value = value.to_dict()
        if isinstance(value, Mapping):
            value = {str(key): one.item() if isinstance(one, np.generic) else one for key, one in value.items()}
        elif isinstance(value, np.generic | np.ndarray):
            value = value.tolist()
        elif value is not None and not isinstance(value, str | int | float | bool):
            value = list(value)
        plain[name] = value
    return plain
