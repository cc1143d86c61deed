"""Bring back a model in memory from what pickle keeps of it; nothing here imports TensorFlow at once."""

import os
import tempfile
from typing import TYPE_CHECKING, Any

from tffs.serving.description import Description
from tffs.startup import import_tensorflow

if TYPE_CHECKING:
    from tffs.serving.model_in_memory import ModelInMemory


def restored_model(file: bytes, description: dict[str, Any]) -> "ModelInMemory":
    """Give a model from the bytes of its `.keras` file and its description as JSON."""
    import_tensorflow()  # without its noise
    from tffs.models import load_model
    from tffs.serving.model_in_memory import ModelInMemory

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.keras")
        with open(path, "wb") as written:
            written.write(file)
        return ModelInMemory(load_model(path), Description.from_json(description))
