"""Unsupervised feature selection that others proposed, to compare with, as scikit-learn's selectors.

They are used as `tffs.FewShotFeatureSelector` is, and choose the same features for every task. They do not need
TensorFlow.

>>> import pandas as pd
>>> from tffs.baselines import GreedySelector
>>> rows = pd.DataFrame({"cm": [1.0, 2.0, 3.0, 4.0], "inch": [0.4, 0.8, 1.2, 1.6], "kg": [5.0, 1.0, 2.0, 6.0]})
>>> selector = GreedySelector(n_features_to_select=2).fit(rows)
>>> selector.get_feature_names_out()
array(['cm', 'kg'], dtype=object)
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tffs.baselines.greedy_selector import GreedySelector
    from tffs.baselines.laplacian_selector import LaplacianScoreSelector
    from tffs.baselines.spec_selector import SpecSelector
    from tffs.baselines.variance_selector import VarianceSelector

_HOME = {
    "GreedySelector": "tffs.baselines.greedy_selector",
    "LaplacianScoreSelector": "tffs.baselines.laplacian_selector",
    "SpecSelector": "tffs.baselines.spec_selector",
    "VarianceSelector": "tffs.baselines.variance_selector",
}

__all__ = ["GreedySelector", "LaplacianScoreSelector", "SpecSelector", "VarianceSelector"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tffs.baselines' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
