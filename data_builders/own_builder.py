"""Find a user's own TFDS builder, and check that it gives what a dataset of tasks needs."""

import importlib.util
import os
import pathlib
import sys
from typing import Any

import numpy as np
import tensorflow_datasets as tfds
from tensorflow_datasets.core.community import builder_cls_from_module

from tffs.errors import UserError, reason


def own_builder(dataset: str, data_dir: str) -> tfds.core.DatasetBuilder:
    """Import a builder, which runs its code, and make it.

    Args:
        dataset: the path of its file, or its import name, as `data_builders.reference.resolve` gives them.
        data_dir: below which it reads and writes.
    """
    try:
        found = _by_path(dataset) if dataset.endswith(".py") else _by_import_name(dataset)
        builder = found(data_dir=data_dir)
        _check_layout(builder.name, builder.info)
        return builder
    except UserError:
        raise
    except Exception as error:  # whatever the module raises
        raise UserError(
            f"The TFDS builder {dataset} cannot be used ({type(error).__name__}: {reason(error)}): a module "
            "with one class derived from tfds.core.GeneratorBasedBuilder is expected."
        ) from error


def _check_layout(name: str, info: tfds.core.DatasetInfo) -> None:
    features = dict(info.features.items()) if isinstance(info.features, tfds.features.FeaturesDict) else {}
    x, label = features.get("x"), features.get("label")
    if x is None or len(x.shape) != 1 or x.np_dtype != np.float32:
        raise UserError(
            f"{name} must have a feature 'x' of float32 [M], M numbers a row, but its features are {features}."
        )
    if label is not None and (label.shape != () or label.np_dtype != np.int64):
        raise UserError(f"{name} must have labels 'label' of int64, one a row, but they are {label}.")
    if "feature_names" not in (info.metadata or {}):
        raise UserError(f"{name} must name its {x.shape[0]} features in its metadata, as 'feature_names'.")


def _by_path(path: str) -> Any:
    """Import a file under the name that it has in its package, if it is in one."""
    file = pathlib.Path(path)
    root, name = file.parent, file.stem
    while (root / "__init__.py").is_file():
        root, name = root.parent, f"{root.name}.{name}"
    with tfds.core.utils.add_sys_path(root):
        found = builder_cls_from_module(name)
    other = sys.modules[name].__file__ or ""
    if not os.path.samefile(path, other):
        raise UserError(
            f"The TFDS builder {path} has the name of another module, {other}: give the file another name."
        )
    return found


def _by_import_name(name: str) -> Any:
    """Import a module, or the one that is called after its package as TFDS has it."""
    conventional = f"{name}.{name.rpartition('.')[2]}_dataset_builder"
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations and importlib.util.find_spec(conventional):
        return builder_cls_from_module(conventional)
    return builder_cls_from_module(name)
