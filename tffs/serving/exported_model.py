"""Use an exported SavedModel: find its newest version, select features for support rows."""

import json
import os

import numpy as np
import tensorflow as tf

from tffs.errors import UserError
from tffs.serving import contract
from tffs.serving.contract import versions_in
from tffs.serving.description import Description
from tffs.serving.selected import Selected


class ExportedModel:
    """A SavedModel written by `export_model`.

    Args:
        path: a workdir, an export folder (its newest version is taken) or a version folder.

    Attributes:
        path: the version folder.
        description: what the model says of itself.
    """

    def __init__(self, path: str) -> None:
        self.path = find_version(path)
        try:
            loaded = tf.saved_model.load(self.path)
            self._signatures = loaded.signatures
            with open(os.path.join(self.path, contract.DESCRIPTION), encoding="utf-8") as file:
                self.description = Description.from_json(json.load(file))
        except (OSError, tf.errors.OpError, LookupError, RuntimeError, TypeError, ValueError) as error:
            raise UserError(
                f"{self.path} is not a model exported by this version of tffs, or it is damaged "
                f"({type(error).__name__}): export it again with --mode=export."
            ) from error
        self._keep = loaded  # the signature does not keep its variables alive

    def select(self, support: np.ndarray) -> list[Selected]:
        """Choose features for one task.

        Args:
            support: [N_S, M] rows of the task, in raw units.

        Returns:
            K features in the selectors' order, duplicates included.
        """
        self.description.check_support(support)
        answer = self._ask(
            contract.SELECT_MASKED, support=support, support_size=np.array(len(support), np.int32)
        )
        columns = (answer["indices"], answer["names"], answer["scores"])
        return [Selected(int(i), name.decode(), float(score)) for i, name, score in zip(*columns, strict=True)]

    def reconstruct(self, support: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Give all features of rows of one task from the values of the chosen ones.

        Args:
            support: [N_S, M], the rows that the features were chosen from.
            values: [rows, K], in the order in which `select` gives the features.

        Returns:
            float32 [rows, M].
        """
        if contract.RECONSTRUCT not in self._signatures:
            raise UserError("This model predicts classes (--loss=cross_entropy) and reconstructs nothing.")
        self.description.check_support(support)
        return self._ask(contract.RECONSTRUCT, support=support, values=values)["reconstruction"]

    def _ask(self, signature: str, **inputs: np.ndarray) -> dict[str, np.ndarray]:
        """Ask for one task; its error is raised."""
        batch = {name: tf.constant(np.asarray(array)[None]) for name, array in inputs.items()}
        outputs = {name: tensor.numpy()[0] for name, tensor in self._signatures[signature](**batch).items()}
        if outputs[contract.ERROR]:
            raise UserError(outputs[contract.ERROR].decode())
        return outputs


def find_version(path: str) -> str:
    """Find the version folder that `path` means."""
    if not os.path.isdir(path):
        raise UserError(
            f"--model={path} is not a folder: give a run's workdir, its export folder or one version of it."
        )
    if os.path.isfile(os.path.join(path, "saved_model.pb")):
        return path
    for exports in (os.path.join(path, "export"), path):
        versions = versions_in(exports)
        if versions:
            return os.path.join(exports, str(versions[-1]))
    raise UserError(
        f"--model={path} holds no exported model: give a run's workdir, its export folder or one version of "
        "it, or export one with --mode=export."
    )
