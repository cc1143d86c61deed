"""The model in a Model artifact: a version folder as tffs exports it."""

import json
import os

from tfx.types import Artifact
from tfx.utils import path_utils

from tffs.serving import contract
from tffs.serving.description import Description


def version_folder(model: Artifact) -> str:
    """Give the folder of the SavedModel."""
    return path_utils.serving_model_path(model.uri)


def description_of(model: Artifact) -> Description:
    """Read what a model says of itself."""
    return read_description(version_folder(model))


def read_description(folder: str) -> Description:
    """Read what the model in a version folder says of itself."""
    with open(os.path.join(folder, contract.DESCRIPTION), encoding="utf-8") as file:
        return Description.from_json(json.load(file))
