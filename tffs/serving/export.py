"""Export a trained model as a SavedModel that answers for new tasks."""

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import keras
import tensorflow as tf

from tffs.data.source_statistics import SourceStatistics
from tffs.errors import UserError, reason
from tffs.layers import Scaling
from tffs.models import RawUnitsSelector, protocol
from tffs.models.protocol import Model
from tffs.serving import check_export, contract, version_folders
from tffs.serving.description import Description
from tffs.serving.model_card import model_card
from tffs.serving.sample_requests import sample_requests, write_golden, write_warmup
from tffs.serving.signatures import Signatures

CHECK_SECONDS = 600
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)  # of intervals; those between are interpolated


def export_model(
    model: Model,
    feature_names: Sequence[str],
    support_size: int | Sequence[int],
    exports: str,
    scaling: str = "none",
    statistics: SourceStatistics | None = None,
    classes: Sequence[str] | None = None,
    training: Mapping[str, Any] | None = None,
    keep_versions: int = 0,
) -> str:
    """Write a new version of the SavedModel, which takes rows in raw units.

    It is written beside `exports`, checked there in a process of its own as a server would load it, and
    renamed into `exports` when it is whole, so that a server that polls the folder never sees half of one.

    Args:
        model: the trained model; one that is no `RawUnitsSelector` takes rows as it was trained on them.
        feature_names: M names.
        support_size: N_S, or all support sizes that the model was trained for. A model that takes any is
            described with the largest, as the one that its figures were measured with.
        exports: the folder of versions.
        scaling: what the model's scaling is called, for the description.
        statistics: the ranges of the source rows, for the description.
        classes: the classes' names, for a model that predicts them; they are numbered if not given.
        training: how it was trained, for the description and the model card; see `training_facts`.
        keep_versions: how many versions to keep, with this one; 0 for all.

    Returns:
        The path of the new version.

    Example:
        >>> import tempfile
        >>> import tffs
        >>> model = tffs.fixed_model(num_features=3, features=[2, 0])
        >>> model.build()
        >>> with tempfile.TemporaryDirectory() as exports:
        ...     version = tffs.export_model(model, ["a", "b", "c"], support_size=2, exports=exports)
        ...     tffs.ExportedModel(version).select([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])["feature"].tolist()
        ['c', 'a']
    """
    if not isinstance(model, RawUnitsSelector):
        model = RawUnitsSelector(model, Scaling())
        model.build()
    sizes = (support_size,) if isinstance(support_size, int) else tuple(sorted(set(support_size)))
    description = describe(model, feature_names, sizes, 1, scaling, statistics, classes, training)
    return export_described(model, description, exports, keep_versions)


def export_described(
    model: RawUnitsSelector, description: Description, exports: str, keep_versions: int = 0
) -> str:
    """Write a new version of the SavedModel of a model that is described already; see `export_model`.

    Args:
        model: in raw units.
        description: of it; its version is the one that it gets.
        exports: the folder of versions.
        keep_versions: how many versions to keep, with this one; 0 for all.

    Returns:
        The path of the new version.
    """
    try:
        os.makedirs(exports, exist_ok=True)
        description = dataclasses.replace(description, version=version_folders.reserve(exports))
        with version_folders.staging(exports) as staging:
            written = os.path.join(staging, str(description.version))
            write_version(model, description, written)
            check_version(written)
            version = os.path.join(exports, str(description.version))
            os.rename(written, version)
    except (OSError, tf.errors.OpError) as error:
        raise UserError(
            f"The model could not be exported to {exports} ({reason(error)}): "
            "the folder must be writable, with space left; versions that were there are untouched."
        ) from error
    try:
        if keep_versions:
            version_folders.prune(exports, keep_versions)
    except OSError as error:
        raise UserError(
            f"{version} is published, but older versions could not be deleted ({reason(error)}): delete them "
            "by hand."
        ) from error
    return version


def describe(
    model: RawUnitsSelector,
    feature_names: Sequence[str],
    support_sizes: Sequence[int],
    version: int,
    scaling: str,
    statistics: SourceStatistics | None,
    classes: Sequence[str] | None,
    training: Mapping[str, Any] | None,
) -> Description:
    """Say what a version will hold; for the arguments see `export_model`."""
    if model.num_classes is not None:
        classes = classes or tuple(map(str, range(model.num_classes)))
    ranks = protocol.RANK in model.abilities
    return Description(
        feature_names=tuple(feature_names),
        num_features=model.num_features,
        num_selected=model.num_selected,
        support_size=support_sizes[-1],
        support_sizes=None if ranks else tuple(support_sizes),
        scaling=scaling,
        missing="median" if model.imputes else "error",
        source_low=None if statistics is None else tuple(statistics.low.tolist()),
        source_high=None if statistics is None else tuple(statistics.high.tolist()),
        loss="reconstruction" if model.num_classes is None else "cross_entropy",
        classes=None if model.num_classes is None else tuple(classes or ()),
        version=version,
        training=training,
        format=2 if ranks else 1,
        method="posterior" if ranks else "concrete",
        source_mean=None if statistics is None else tuple(statistics.mean.tolist()),
        source_stddev=None if statistics is None else tuple(statistics.stddev.tolist()),
        intervals={str(level): model.multiple(level) for level in LEVELS} if ranks else None,
        selects_limited=ranks,
    )


def write_version(model: RawUnitsSelector, description: Description, path: str) -> None:
    """Write all files of a version into the folder `path`, which is not there yet."""
    signatures = Signatures(model, description)
    archive = keras.export.ExportArchive()
    archive.track(model)
    endpoints = signatures.add_to(archive)
    archive.write_out(path, verbose=False)
    os.makedirs(os.path.join(path, contract.EXTRA))
    requests = sample_requests(signatures.all(), description)
    write_warmup(os.path.join(path, contract.WARMUP), requests)
    write_golden(path, requests, endpoints[contract.SELECT])
    texts = {
        contract.FEATURE_NAMES: "".join(f"{name}\n" for name in description.feature_names),
        contract.DESCRIPTION: json.dumps(description.to_json(), ensure_ascii=False, indent=1) + "\n",
        contract.MODEL_CARD: model_card(description),
    }
    for name, text in texts.items():
        with open(os.path.join(path, name), "w", encoding="utf-8") as file:
            file.write(text)


def check_version(path: str) -> None:
    """Load the written model in a clean process and compare its answers; UserError if it is not fit."""
    command = [sys.executable, "-P", str(check_export.__file__), path]
    environment = {
        **os.environ,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_USE_LEGACY_KERAS": "1",  # so that no Keras is loaded: a server has none, and it takes seconds
    }
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=CHECK_SECONDS, check=False
        )
        wrong = "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    except subprocess.TimeoutExpired:
        wrong = f"it did not answer within {CHECK_SECONDS} seconds"
    if wrong:
        raise UserError(
            f"The exported model failed its check and was not published ({wrong[-300:]}): versions that were "
            "there are untouched."
        )
