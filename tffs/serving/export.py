"""Export a trained model as a SavedModel that answers for new tasks."""

import errno
import os
import shutil
import tempfile
from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from tffs.errors import UserError, reason
from tffs.models import FewShotSelector
from tffs.selection import scores_of, select
from tffs.workdir import TEMPORARY

FEATURE_NAMES = os.path.join("assets", "feature_names.txt")


def versions_in(exports: str) -> list[int]:
    """List the numeric versions in an export folder, oldest first."""
    if not os.path.isdir(exports):
        return []
    return sorted(int(name) for name in os.listdir(exports) if name.isdecimal())


def export_model(model: FewShotSelector, feature_names: Sequence[str], support_size: int, exports: str) -> str:
    """Write a new version of the SavedModel.

    It is written beside `exports` and renamed into it when it is whole, so that a server that polls the
    folder never sees half of one.

    Args:
        model: the trained model.
        feature_names: M names.
        support_size: N_S, the only support size the model was trained for.
        exports: the folder of versions.

    Returns:
        The path of the new version.
    """
    parent = os.path.dirname(os.path.abspath(exports))
    staging = None
    try:
        os.makedirs(exports, exist_ok=True)
        staging = tempfile.mkdtemp(prefix=f"{TEMPORARY}export-", dir=parent)
        written = os.path.join(staging, "model")
        _write(model, feature_names, support_size, written)
        return _publish(written, exports)
    except (OSError, tf.errors.OpError) as error:
        raise UserError(
            f"The model could not be exported to {exports} ({reason(error)}): "
            "the folder must be writable, with space left; versions that were there are untouched."
        ) from error
    finally:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)


def _write(model: FewShotSelector, feature_names: Sequence[str], support_size: int, path: str) -> None:
    names = tf.constant(list(feature_names))
    # Folded once: this part of eq. 3 is the same for every task.
    selector_logits = tf.constant(model.selector.selector_logits())

    def choose(support: tf.Tensor) -> dict[str, tf.Tensor]:
        log_alpha = model.selector.support_logits(support)[:, None, :] + selector_logits
        indices = select(log_alpha, model.selection)
        return {
            "indices": indices,
            "names": tf.gather(names, indices),
            "scores": scores_of(log_alpha, indices),
        }

    signature = tf.TensorSpec([None, support_size, model.num_features], tf.float32, name="support")
    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("select", choose, input_signature=[signature])
    archive.write_out(path, verbose=False)
    with open(os.path.join(path, FEATURE_NAMES), "w", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in feature_names)


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
