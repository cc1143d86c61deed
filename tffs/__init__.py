"""tffs: few-shot unsupervised feature selection on TensorFlow.

The names below are the public interface; everything else may change. They are imported when first used, so
that `import tffs` and the command line's `--help` do not wait for TensorFlow.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tffs.data.episodes import EpisodeGenerator
    from tffs.data.tasks import TaskRows, Tasks
    from tffs.errors import UserError
    from tffs.layers import (
        ConcreteSelect,
        DeepSets,
        FixedFeatures,
        Scaling,
        SharedSelector,
        TaskDecoder,
        TaskSelector,
    )
    from tffs.models import FewShotSelector, RawUnitsSelector, concrete_model, fixed_model, load_model
    from tffs.selection import select
    from tffs.serving.client import Client
    from tffs.serving.export import export_model
    from tffs.serving.exported_model import ExportedModel

__version__ = "0.7.0"

_HOME = {
    "Client": "tffs.serving.client",
    "ConcreteSelect": "tffs.layers",
    "ConditionalDecoder": "tffs.layers",
    "DeepSets": "tffs.layers",
    "EpisodeGenerator": "tffs.data.episodes",
    "ExportedModel": "tffs.serving.exported_model",
    "FewShotSelector": "tffs.models",
    "FixedFeatures": "tffs.layers",
    "PosteriorSelector": "tffs.models",
    "RawUnitsSelector": "tffs.models",
    "Scaling": "tffs.layers",
    "SharedSelector": "tffs.layers",
    "TaskDecoder": "tffs.layers",
    "TaskPrior": "tffs.layers",
    "TaskRows": "tffs.data.tasks",
    "TaskSelector": "tffs.layers",
    "Tasks": "tffs.data.tasks",
    "UserError": "tffs.errors",
    "concrete_model": "tffs.models",
    "export_model": "tffs.serving.export",
    "fixed_model": "tffs.models",
    "load_model": "tffs.models",
    "select": "tffs.selection",
}

__all__ = [
    "Client",
    "ConcreteSelect",
    "ConditionalDecoder",
    "DeepSets",
    "EpisodeGenerator",
    "ExportedModel",
    "FewShotSelector",
    "FixedFeatures",
    "PosteriorSelector",
    "RawUnitsSelector",
    "Scaling",
    "SharedSelector",
    "TaskDecoder",
    "TaskPrior",
    "TaskRows",
    "TaskSelector",
    "Tasks",
    "UserError",
    "__version__",
    "concrete_model",
    "export_model",
    "fixed_model",
    "load_model",
    "select",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tffs' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
