"""Export a trained model as a SavedModel that answers for new tasks."""

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from tffs.data.source_statistics import SourceStatistics
from tffs.errors import UserError, reason
from tffs.layers import Scaling
from tffs.models import FewShotSelector, RawUnitsSelector
from tffs.selection import scores_of, select
from tffs.workdir import TEMPORARY

FEATURE_NAMES = os.path.join("assets", "feature_names.txt")
DESCRIPTION = os.path.join("assets", "description.json")


def versions_in(exports: str) -> list[int]:
    """List the numeric versions in an export folder, oldest first."""
    if not os.path.isdir(exports):
        return []
    return sorted(int(name) for name in os.listdir(exports) if name.isdecimal())


def export_model(
    model: RawUnitsSelector | FewShotSelector,
    feature_names: Sequence[str],
    support_size: int,
    exports: str,
    scaling: str = "none",
    statistics: SourceStatistics | None = None,
) -> str:
    """Write a new version of the SavedModel, which takes rows in raw units.

    It is written beside `exports` and renamed into it when it is whole, so that a server that polls the
    folder never sees half of one.

    Args:
        model: the trained model; one without scaling takes rows as it was trained on them.
        feature_names: M names.
        support_size: N_S, the only support size the model was trained for.
        exports: the folder of versions.
        scaling: what the model's scaling is called, for the description.
        statistics: the ranges of the source rows, for the description.

    Returns:
        The path of the new version.
    """
    if isinstance(model, FewShotSelector):
        model = RawUnitsSelector(model, Scaling())
        model.build()
    description = {
        "feature_names": list(feature_names),
        "num_features": model.num_features,
        "num_selected": model.num_selected,
        "support_size": support_size,
        "scaling": scaling,
        "missing": "median" if model.scaling.impute else "error",
        "source_low": None if statistics is None else statistics.low.tolist(),
        "source_high": None if statistics is None else statistics.high.tolist(),
    }
    parent = os.path.dirname(os.path.abspath(exports))
    staging = None
    try:
        os.makedirs(exports, exist_ok=True)
        staging = tempfile.mkdtemp(prefix=f"{TEMPORARY}export-", dir=parent)
        written = os.path.join(staging, "model")
        _write(model, description, written)
        return _publish(written, exports)
    except (OSError, tf.errors.OpError) as error:
        raise UserError(
            f"The model could not be exported to {exports} ({reason(error)}): "
            "the folder must be writable, with space left; versions that were there are untouched."
        ) from error
    finally:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)


def _write(model: RawUnitsSelector, description: dict[str, Any], path: str) -> None:
    names = tf.constant(description["feature_names"])
    core = model.selector
    # Folded once: this part of eq. 3 is the same for every task.
    selector_logits = tf.constant(core.selector.selector_logits())

    def choose(support: tf.Tensor) -> dict[str, tf.Tensor]:
        log_alpha = core.selector.support_logits(model.scaling(support))[:, None, :] + selector_logits
        indices = select(log_alpha, core.selection)
        return {
            "indices": indices,
            "names": tf.gather(names, indices),
            "scores": scores_of(log_alpha, indices),
        }

    shape = [None, description["support_size"], model.num_features]
    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("select", choose, input_signature=[tf.TensorSpec(shape, tf.float32, name="support")])
    archive.write_out(path, verbose=False)
    with open(os.path.join(path, FEATURE_NAMES), "w", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in description["feature_names"])
    with open(os.path.join(path, DESCRIPTION), "w", encoding="utf-8") as file:
        json.dump(description, file, ensure_ascii=False, indent=1)


def _publish(written: str, exports: str) -> str:
    """Rename the finished folder to the next free version number."""
    while True:
        version = os.path.join(exports, str(max(versions_in(exports), default=0) + 1))
        try:
            os.rename(written, version)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):  # another export took the number
                continue
            raise
        return version


def input_shape(signature: Any) -> tuple[int, int]:
    """Read N_S and M from an exported `select` signature."""
    _, support_size, num_features = signature.structured_input_signature[1]["support"].shape
    return support_size, num_features
