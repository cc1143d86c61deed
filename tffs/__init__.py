"""tffs: few-shot unsupervised feature selection on TensorFlow.

The names below are the public interface; everything else may change. They are imported when first used, so
that `import tffs` and the command line's `--help` do not wait for TensorFlow.

Tasks are digits here, and the new task is the digit 9:

>>> import tempfile
>>> from sklearn.datasets import load_digits
>>> import tffs
>>> X, digit = load_digits(as_frame=True, return_X_y=True)  # of which the demo's embedded data is made
>>> old, nines = digit < 9, X[digit == 9]

>>> quick = {"residual": "off"}  # trains no network on top, which would take a minute
>>> selector = tffs.FewShotFeatureSelector(
...     n_features_to_select=8, folds=2, random_state=0, method_params=quick
... )
>>> selector = selector.fit(X[old], groups=digit[old])
>>> new = selector.adapt(nines.head(4))
>>> len(new.get_feature_names_out()), len(new.error_curve_), new.novelty_ < 0.95
(8, 65, True)
>>> everything, std = new.inverse_transform(new.transform(nines), return_std=True)
>>> with tempfile.TemporaryDirectory() as folder:
...     new.save(folder)
...     again = tffs.load(folder)  # or a run's folder, an export, a server: the same methods
>>> list(again.get_feature_names_out()) == list(new.get_feature_names_out())
True
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tffs.data.episodes import EpisodeGenerator
    from tffs.data.tasks import TaskRows, Tasks
    from tffs.errors import UserError
    from tffs.estimator.fit_table import fit_table
    from tffs.estimator.loading import load
    from tffs.estimator.selector import FewShotFeatureSelector
    from tffs.layers import (
        ConcreteSelect,
        ConditionalDecoder,
        DeepSets,
        FixedFeatures,
        Scaling,
        SharedSelector,
        TaskDecoder,
        TaskPrior,
        TaskSelector,
    )
    from tffs.models import (
        FewShotSelector,
        PosteriorSelector,
        RawUnitsSelector,
        concrete_model,
        fixed_model,
        load_model,
    )
    from tffs.selection import select
    from tffs.serving.client import Client
    from tffs.serving.export import export_model
    from tffs.serving.exported_model import ExportedModel

__version__ = "0.10.1"

_HOME = {
    "Client": "tffs.serving.client",
    "ConcreteSelect": "tffs.layers",
    "ConditionalDecoder": "tffs.layers",
    "DeepSets": "tffs.layers",
    "EpisodeGenerator": "tffs.data.episodes",
    "ExportedModel": "tffs.serving.exported_model",
    "FewShotFeatureSelector": "tffs.estimator.selector",
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
    "fit_table": "tffs.estimator.fit_table",
    "fixed_model": "tffs.models",
    "load": "tffs.estimator.loading",
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
    "FewShotFeatureSelector",
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
    "baselines",
    "concrete_model",
    "export_model",
    "fit_table",
    "fixed_model",
    "load",
    "load_model",
    "select",
]


def __getattr__(name: str) -> Any:
    if name == "baselines":
        return importlib.import_module("tffs.baselines")
    if name not in _HOME:
        raise AttributeError(f"module 'tffs' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
