"""A small table of machines, and a selector that is fitted to it in no time."""

import numpy as np
import pandas as pd

from tffs.estimator.selector import FewShotFeatureSelector

FEATURES = ["load", "speed", "heat", "Jitter(%)", "noise", "age"]
QUICK = {"residual": "off"}


def machines(seed: int = 0, tasks: int = 6, rows: int = 25) -> tuple[pd.DataFrame, pd.Series]:
    """Give rows of machines in raw units, and whose rows they are: two causes make four of the features."""
    rng = np.random.default_rng(seed)
    level = rng.normal(size=(tasks, 1, len(FEATURES)))
    causes = rng.normal(size=(tasks, rows, 2))
    mixing = np.array([[1.0, 0.8, -0.9, 0.2, 0.0, 0.0], [0.0, 0.5, 0.3, 1.0, 0.9, 0.0]])
    x = (level + causes @ mixing + 0.1 * rng.normal(size=(tasks, rows, len(FEATURES)))).reshape(
        -1, len(FEATURES)
    )
    x = x * [1.0, 10.0, 100.0, 0.01, 5.0, 1.0] + [0.0, 50.0, 300.0, 1.0, 20.0, 7.0]
    groups = pd.Series(np.repeat([f"m{task}" for task in range(tasks)], rows), name="machine")
    return pd.DataFrame(x, columns=FEATURES), groups


def unfitted(**parameters) -> FewShotFeatureSelector:
    """Give a selector that is fitted in no time."""
    given = {"n_features_to_select": 2, "folds": 3, "random_state": 0, "method_params": QUICK, **parameters}
    return FewShotFeatureSelector(**given)


def fitted(**parameters) -> FewShotFeatureSelector:
    """Fit a selector to the small table."""
    rows, groups = machines()
    return unfitted(**parameters).fit(rows, groups=groups)


NEW, _ = machines(seed=1, tasks=1)  # of a machine that no selector was fitted to
