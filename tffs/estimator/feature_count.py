"""How many features `n_features_to_select` stands for."""

from typing import Any

import numpy as np

from tffs.errors import UserError, warn


def feature_count(n_features_to_select: Any, n_features: int) -> int:
    """Give the number of features to select.

    Args:
        n_features_to_select: a number of features, or a share of them between 0 and 1. A share selects at least
            one feature. More than there are selects all, with a warning, as scikit-learn's `SelectKBest` does.
        n_features: how many there are.
    """
    wanted = n_features_to_select
    if isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool) and wanted >= 1:
        if wanted > n_features:
            warn(
                f"n_features_to_select={wanted} is greater than n_features={n_features}. All the features will "
                "be returned."
            )
        return min(int(wanted), n_features)
    if isinstance(wanted, (float, np.floating)) and 0 < wanted < 1:
        return max(int(round(float(wanted) * n_features, 6)), 1)  # 0.29 of 100 is 29
    raise UserError(
        "n_features_to_select must be a whole number of at least 1, or a share between 0 and 1. Received: "
        f"{wanted!r}."
    )
