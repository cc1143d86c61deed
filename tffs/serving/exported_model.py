"""Use an exported SavedModel: find its newest version, select features for support rows."""

import dataclasses
import json
import os

import numpy as np
import tensorflow as tf

from tffs.errors import UserError
from tffs.serving.export import DESCRIPTION, input_shape, versions_in


@dataclasses.dataclass(frozen=True)
class Selected:
    """One selected feature, with the probability its selector gives it."""

    index: int
    name: str
    score: float


class ExportedModel:
    """A SavedModel written by `export_model`.

    Args:
        path: a workdir, an export folder (its newest version is taken) or a version folder.
    """

    def __init__(self, path: str) -> None:
        self.path = find_version(path)
        folder = os.path.basename(os.path.abspath(self.path))
        self.version = int(folder) if folder.isdecimal() else 0
        try:
            loaded = tf.saved_model.load(self.path)
            self._select = loaded.signatures["serving_default"]
            self.support_size, self.num_features = input_shape(self._select)
            with open(os.path.join(self.path, DESCRIPTION), encoding="utf-8") as file:
                self.description = json.load(file)
            self.feature_names = tuple(self.description["feature_names"])
            self.imputes = self.description["missing"] == "median"
            self._ranges = (self.description["source_low"], self.description["source_high"])
            if len(self.feature_names) != self.num_features:
                raise ValueError("description.json does not fit the model")
        except (OSError, tf.errors.OpError, KeyError, TypeError, ValueError) as error:
            raise UserError(
                f"{self.path} is not a model exported by tffs, or it is damaged ({type(error).__name__}): "
                "export it again with --mode=export."
            ) from error
        self._keep = loaded  # the signature does not keep its variables alive

    def select(self, support: np.ndarray) -> list[Selected]:
        """Choose features for one task.

        Args:
            support: [N_S, M] rows of the task.

        Returns:
            K features in the selectors' order, duplicates included.
        """
        if support.shape != (self.support_size, self.num_features):
            raise UserError(
                f"This model takes {self.support_size} support rows of {self.num_features} features, but "
                f"{support.shape[0]} rows of {support.shape[-1]} came: give exactly {self.support_size} rows, "
                "or train a model with another --support_size."
            )
        if not np.isfinite(support).all() and not (self.imputes and not np.isinf(support).any()):
            raise UserError("The support rows must be finite numbers, but NaN or infinity came: fill them in.")
        answer = self._select(support=tf.constant(support[None], tf.float32))
        columns = (answer["indices"][0].numpy(), answer["names"][0].numpy(), answer["scores"][0].numpy())
        return [Selected(int(i), name.decode(), float(score)) for i, name, score in zip(*columns, strict=True)]

    def far_outside(self, rows: np.ndarray) -> list[str]:
        """Say which features of `rows` are so far outside the source tasks' ranges that the unit may be wrong.

        Far is beyond the range by more than the range is wide.
        """
        low, high = (np.asarray(bound, np.float64) for bound in self._ranges)
        if low.ndim == 0:  # an export without ranges
            return []
        width = high - low
        seen_low, seen_high = np.nanmin(rows, axis=0, initial=np.inf), np.nanmax(rows, axis=0, initial=-np.inf)
        far = np.flatnonzero((seen_low < low - width) | (seen_high > high + width))
        return [
            f"'{self.feature_names[i]}' {seen_low[i]:.4g} to {seen_high[i]:.4g} (source tasks: {low[i]:.4g} to "
            f"{high[i]:.4g})"
            for i in far
        ]


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
