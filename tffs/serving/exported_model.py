"""Use an exported SavedModel in this process: find its newest version and ask it."""

import json
import os
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tffs.errors import UserError
from tffs.serving import contract
from tffs.serving.contract import versions_in
from tffs.serving.description import Description
from tffs.serving.front_door import FrontDoor, Result
from tffs.serving.model_version import Arrays, ModelVersion, with_text


class ExportedModel(FrontDoor):
    """A SavedModel written by `export_model`; it may be shared by threads.

    Args:
        path: a workdir, an export folder (its newest version is taken) or a version folder.
        note: see `FrontDoor`.

    Attributes:
        path: the version folder.
        description: what the model says of itself.

    Example:
        >>> import tffs
        >>> try:  # for a folder that is there, see `export_model`
        ...     tffs.ExportedModel("runs/none")
        ... except tffs.UserError as error:
        ...     print(error)
        runs/none is not a folder: give a run's workdir, its export folder or one version of it.
    """

    def __init__(self, path: str, note: Callable[[str], None] | None = None) -> None:
        super().__init__(note)
        self.path = find_version(path)
        try:
            self._loaded = tf.saved_model.load(self.path)  # its signatures do not keep its variables alive
            if contract.SELECT in self._loaded.signatures and contract.DESCRIBE not in self._loaded.signatures:
                raise UserError(
                    f"{self.path} was exported by tffs 0.3.0 or older, which this version does not read: "
                    "export it again from its workdir; one of 0.1.0 is not read either, so train that again."
                )
            with open(os.path.join(self.path, contract.DESCRIPTION), encoding="utf-8") as file:
                self.description = Description.from_json(json.load(file))
        except UserError:
            raise
        except (OSError, tf.errors.OpError, LookupError, RuntimeError, TypeError, ValueError) as error:
            raise UserError(
                f"{self.path} is not a model exported by this version of tffs, or it is damaged "
                f"({type(error).__name__}): export it again."
            ) from error

    def _answer(self, question: Callable[[ModelVersion], Result]) -> Result:
        return question(ModelVersion(self.description.version, self.description, self._run))

    def close(self) -> None:
        """Close nothing: the model is in memory and goes with this object."""

    def __reduce__(self) -> Any:
        return type(self), (self.path,)

    def _run(self, signature: str, inputs: Arrays) -> Arrays:
        tensors = {name: tf.constant(array) for name, array in inputs.items()}
        outputs = self._loaded.signatures[signature](**tensors)
        return {name: with_text(tensor.numpy()) for name, tensor in outputs.items()}


def find_version(path: str) -> str:
    """Find the version folder that `path` means."""
    if not os.path.isdir(path):
        raise UserError(
            f"{path} is not a folder: give a run's workdir, its export folder or one version of it."
        )
    if os.path.isfile(os.path.join(path, "saved_model.pb")):
        return path
    for exports in (os.path.join(path, "export"), path):
        versions = versions_in(exports)
        if versions:
            return os.path.join(exports, str(versions[-1]))
    raise UserError(
        f"{path} holds no exported model: give a run's workdir, its export folder or one version of it, or "
        "export the run first."
    )
